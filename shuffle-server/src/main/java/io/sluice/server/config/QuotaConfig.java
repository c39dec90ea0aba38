package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.Settings;
import io.sluice.server.quota.QuotaLimits;
import java.util.Optional;

/** What users, applications and partitions may hold on a server: {@link QuotaLimits}, as set. */
public final class QuotaConfig {
  public static final ConfigKey<Optional<DataSize>> USER =
      ConfigKey.size("server.quota.user")
          .doc(
              "What all applications of one user together may hold on this server. Then their"
                  + " blocks are refused with QUOTA_EXCEEDED. Users are what drivers say they are:"
                  + " this keeps accidents within bounds, not malice. Without it, all there is.")
          .atLeast("1m")
          .optional();
  public static final ConfigKey<Optional<DataSize>> APPLICATION =
      ConfigKey.size("server.quota.application")
          .doc(
              "What one application may hold on this server, in memory and on disks together. Then"
                  + " its blocks are refused with QUOTA_EXCEEDED and its job fails; nobody else's"
                  + " does. Without it, all there is.")
          .atLeast("1m")
          .optional();
  public static final ConfigKey<Optional<DataSize>> PARTITION =
      ConfigKey.size("server.quota.partition")
          .doc(
              "What one partition may hold on this server, against skew that one reducer could"
                  + " never read. Then its blocks are refused with QUOTA_EXCEEDED. Without it, all"
                  + " there is.")
          .atLeast("1m")
          .optional();
  public static final ConfigKey<DataSize> SPLIT =
      ConfigKey.size("server.partition.split")
          .doc(
              "What one partition holds on this server before its writers are told, once for each"
                  + " so many bytes, to go to another server. They come back if there is none. A"
                  + " server.quota.partition below it comes first.")
          .atLeast("1m")
          .defaultsTo("8g");

  private QuotaConfig() {}

  static QuotaLimits from(Settings settings) {
    return new QuotaLimits(
        bytesOrAll(settings, USER),
        bytesOrAll(settings, APPLICATION),
        bytesOrAll(settings, PARTITION),
        settings.get(SPLIT).toBytes());
  }

  private static long bytesOrAll(Settings settings, ConfigKey<Optional<DataSize>> key) {
    return settings.get(key).map(DataSize::toBytes).orElse(Long.MAX_VALUE);
  }
}

package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.Settings;
import io.sluice.common.id.IdText;
import io.sluice.common.id.ServerId;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * How data falls to lower tiers, and what the last of them is.
 *
 * @param watermark share of a disk in use above which new data goes to a lower tier
 * @param hugePartitionBytes on disks, from which on a partition goes straight to the lowest tier
 * @param remote empty: local disks only
 * @param standInFor dead servers, whose part of the remote tier this one takes over at its start
 */
public record TierConfig(
    double watermark,
    long hugePartitionBytes,
    Optional<RemoteStorage> remote,
    List<ServerId> standInFor) {
  public static final ConfigKey<Double> WATERMARK =
      ConfigKey.number("server.tier.watermark")
          .doc(
              "Share of a disk in use, by whomever, above which new data goes to a lower tier if"
                  + " that has room. It comes back 0.05 below.")
          .between("0.1", "0.99")
          .defaultsTo("0.9");
  public static final ConfigKey<Optional<DataSize>> HUGE_PARTITION =
      ConfigKey.size("server.tier.huge-partition")
          .doc(
              "A partition with as many bytes on disks goes on in the lowest tier. Without it, no"
                  + " partition is huge.")
          .atLeast("64m")
          .optional();
  public static final ConfigKey<Optional<String>> HDFS_ROOT =
      ConfigKey.text("server.hdfs.root")
          .doc(
              "Folder on HDFS, the same for all servers of a cluster, such as hdfs://name/sluice."
                  + " Without it there is no HDFS tier.")
          .optional();
  public static final ConfigKey<Optional<List<Path>>> HDFS_CONFIGURATION =
      ConfigKey.paths("server.hdfs.configuration")
          .doc("Hadoop's XML files, or folders with core-site.xml and hdfs-site.xml.")
          .optional();
  public static final ConfigKey<Integer> HDFS_REPLICATION =
      ConfigKey.integer("server.hdfs.replication")
          .doc("Replicas of segments. 1 gives up what a lost datanode held.")
          .between("1", "10")
          .defaultsTo("2");
  public static final ConfigKey<Duration> HDFS_DEADLINE =
      ConfigKey.duration("server.hdfs.deadline")
          .doc("How long one call to HDFS may take before it counts as failed.")
          .between("1s", "10m")
          .defaultsTo("60s");
  public static final ConfigKey<Optional<String>> HDFS_PRINCIPAL =
      ConfigKey.text("server.hdfs.principal")
          .doc("Kerberos principal of the server, where HDFS is secured.")
          .optional();
  public static final ConfigKey<Optional<Path>> HDFS_KEYTAB =
      ConfigKey.path("server.hdfs.keytab").doc("Keytab file of the principal.").optional();
  public static final ConfigKey<Optional<String>> HDFS_PROXY_USER =
      ConfigKey.text("server.hdfs.proxy-user")
          .doc(
              "User in whose name files are written; HDFS must allow the server to stand for it."
                  + " Without it, the server's own.")
          .optional();

  public static final ConfigKey<Boolean> HDFS_IMPERSONATE =
      ConfigKey.bool("server.hdfs.impersonate")
          .doc(
              "Whether segments of an application belong to its user, as far as that is known and"
                  + " HDFS lets the server stand for that user. Users are what drivers say they are.")
          .defaultsTo("false");

  public static final ConfigKey<Optional<List<ServerId>>> HDFS_STAND_IN_FOR =
      ConfigKey.listOf("server.hdfs.stand-in-for", "server id", TierConfig::serverId)
          .doc(
              "Servers that are gone for good: what they left on HDFS is taken over at the start and"
                  + " served here. What was taken over stays so without the setting.")
          .optional();

  private static ServerId serverId(String text) {
    return new ServerId(IdText.parse(text));
  }

  private static final List<ConfigKey<?>> HDFS_KEYS =
      List.of(
          HDFS_ROOT,
          HDFS_CONFIGURATION,
          HDFS_REPLICATION,
          HDFS_DEADLINE,
          HDFS_PRINCIPAL,
          HDFS_KEYTAB,
          HDFS_PROXY_USER,
          HDFS_IMPERSONATE,
          HDFS_STAND_IN_FOR);

  static final List<ConfigKey<?>> KEYS =
      Stream.concat(Stream.of(WATERMARK, HUGE_PARTITION), HDFS_KEYS.stream()).toList();

  static final ConfigCheck ROOT_CHECK = ConfigCheck.over(List.of(HDFS_ROOT), TierConfig::checkRoot);
  static final ConfigCheck LOGIN_CHECK =
      ConfigCheck.over(
          List.of(HDFS_PRINCIPAL, HDFS_KEYTAB),
          (settings, problems) -> {
            if (settings.get(HDFS_PRINCIPAL).isPresent() != settings.get(HDFS_KEYTAB).isPresent()) {
              problems.accept(HDFS_PRINCIPAL + " and " + HDFS_KEYTAB + " belong together");
            }
          });

  static final ConfigCheck IMPERSONATION_CHECK =
      ConfigCheck.over(
          List.of(HDFS_IMPERSONATE, HDFS_PROXY_USER),
          (settings, problems) -> {
            if (settings.get(HDFS_IMPERSONATE) && settings.get(HDFS_PROXY_USER).isPresent()) {
              problems.accept(HDFS_IMPERSONATE + " and " + HDFS_PROXY_USER + " exclude each other");
            }
          });

  /** Somebody who sets anything of HDFS wants it, and would not notice that it is not there. */
  static final ConfigCheck ROOT_NEEDED_CHECK =
      ConfigCheck.over(
          HDFS_KEYS,
          (settings, problems) ->
              HDFS_KEYS.stream()
                  .filter(key -> settings.isGiven(key) && settings.get(HDFS_ROOT).isEmpty())
                  .forEach(key -> problems.accept(key + " needs " + HDFS_ROOT)));

  private static void checkRoot(Settings settings, Consumer<String> problems) {
    Optional<String> root = settings.get(HDFS_ROOT);
    if (root.isEmpty()) {
      return;
    }
    try {
      URI uri = URI.create(root.get());
      if (uri.getScheme() == null || uri.getPath() == null || uri.getPath().length() < 2) {
        problems.accept(HDFS_ROOT + " must name a folder with its scheme, as hdfs://name/sluice");
      }
    } catch (IllegalArgumentException e) {
      problems.accept(HDFS_ROOT + " is no address: " + e.getMessage());
    }
  }

  static TierConfig from(Settings settings) {
    return new TierConfig(
        settings.get(WATERMARK),
        settings.get(HUGE_PARTITION).map(DataSize::toBytes).orElse(Long.MAX_VALUE),
        settings.get(HDFS_ROOT).map(root -> remote(root, settings)),
        settings.get(HDFS_STAND_IN_FOR).orElse(List.of()));
  }

  private static RemoteStorage remote(String root, Settings settings) {
    Optional<RemoteStorage.Login> login =
        settings
            .get(HDFS_PRINCIPAL)
            .flatMap(
                principal ->
                    settings
                        .get(HDFS_KEYTAB)
                        .map(keytab -> new RemoteStorage.Login(principal, keytab)));
    return new RemoteStorage(
        root,
        settings.get(HDFS_CONFIGURATION).orElse(List.of()),
        settings.get(HDFS_REPLICATION),
        settings.get(HDFS_DEADLINE),
        login,
        settings.get(HDFS_PROXY_USER),
        settings.get(HDFS_IMPERSONATE));
  }
}

package org.apache.spark.shuffle.sluice.config;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.write.WriteLimits;
import scala.Tuple2;

/** What {@link SluiceKeys} say, checked. Immutable. */
public final class SluiceConfig {
  // The default of Spark's own entry.
  private static final String SPARKS_CODEC = "lz4";

  private final Settings settings;
  private final String codec;

  private SluiceConfig(Settings settings, String codec) {
    this.settings = settings;
    this.codec = codec;
  }

  /**
   * Reads an application's configuration.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static SluiceConfig of(SparkConf conf) {
    Map<String, String> values = new HashMap<>();
    for (Tuple2<String, String> entry : conf.getAllWithPrefix(SluiceKeys.PREFIX)) {
      values.put(SluiceKeys.PREFIX + entry._1(), entry._2());
    }
    Settings settings =
        new ConfigReader(List.of(SluiceKeys.SECTION)).values("Spark configuration", values).read();
    return new SluiceConfig(settings, settings.get(SluiceKeys.CODEC).orElse(codecOf(conf)));
  }

  private static String codecOf(SparkConf conf) {
    return conf.getBoolean("spark.shuffle.compress", true)
        ? conf.get("spark.io.compression.codec", SPARKS_CODEC)
        : BlockCodecs.NO_CODEC;
  }

  public List<HostPort> coordinators() {
    return settings.get(SluiceKeys.COORDINATORS);
  }

  public Duration coordinatorDeadline() {
    return settings.get(SluiceKeys.COORDINATOR_DEADLINE);
  }

  /** Servers that hold each block. */
  public int replicas() {
    return settings.get(SluiceKeys.REPLICAS);
  }

  /** A name that {@link BlockCodecs#byName} takes. */
  public String codec() {
    return codec;
  }

  /**
   * The application that the driver minted.
   *
   * @throws SluiceException INVALID_CONFIGURATION if no driver set it
   */
  public ApplicationId application() {
    String id =
        settings
            .get(SluiceKeys.APPLICATION_ID)
            .orElseThrow(
                () ->
                    new SluiceException(
                        ErrorCode.INVALID_CONFIGURATION,
                        SluiceKeys.APPLICATION_ID + " was not set by the driver"));
    return new ApplicationId(UUID.fromString(id));
  }

  public WriteLimits writeLimits() {
    return new WriteLimits(
        settings.get(SluiceKeys.BLOCK_SIZE).toIntBytes(),
        settings.get(SluiceKeys.WRITE_BUFFER).toBytes());
  }

  public ClientConfig clientConfig() {
    // Codecs may expand a block by less than an eighth; a frame holds one whole block so expanded.
    int frame = settings.get(SluiceKeys.BLOCK_SIZE).toIntBytes() / 4 * 5;
    ClientConfig.Builder config = ClientConfig.builder();
    config.frameBytes(frame).maxBlockBytes(frame);
    config.maxInFlightBytes(
        Math.max(settings.get(SluiceKeys.WRITE_IN_FLIGHT).toBytes(), 4L * frame));
    config.readerCreditBytes(settings.get(SluiceKeys.READ_IN_FLIGHT).toBytes());
    config.transport(settings.get(SluiceKeys.TRANSPORT));
    config.connectionsPerServer(settings.get(SluiceKeys.CONNECTIONS));
    config.connectTimeout(settings.get(SluiceKeys.CONNECT_TIMEOUT));
    config.suspectAfter(settings.get(SluiceKeys.SUSPECT_AFTER));
    config.reconnectDeadline(settings.get(SluiceKeys.RECONNECT_DEADLINE));
    config.blockDeadline(settings.get(SluiceKeys.BLOCK_DEADLINE));
    return config.build();
  }

  /** One line per entry, secrets redacted, for the log. */
  public String describe() {
    return settings.describe();
  }
}

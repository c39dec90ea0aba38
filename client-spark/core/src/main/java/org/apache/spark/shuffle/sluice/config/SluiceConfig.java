package org.apache.spark.shuffle.sluice.config;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.write.ObjectLimits;
import org.apache.spark.shuffle.sluice.write.WriteLimits;
import scala.Tuple2;

/** What {@link SluiceKeys} say, checked. Immutable. */
public final class SluiceConfig {
  private static final String SPARKS_CODEC_KEY = "spark.io.compression.codec";

  // Defaults of Spark's own entries.
  private static final String SPARKS_CODEC = "lz4";
  private static final long SPARKS_UNACCOUNTED_BYTES = 5 << 20;
  private static final int SPARKS_BYPASS_MERGE_THRESHOLD = 200;
  private static final String LABEL = "sluice, from spark.authenticate";

  private final Settings settings;
  private final String codec;
  private final Optional<Secret> secret;

  private SluiceConfig(Settings settings, String codec, Optional<Secret> secret) {
    this.settings = settings;
    this.codec = codec;
    this.secret = secret;
  }

  /**
   * Reads an application's configuration, but for its secret.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static SluiceConfig of(SparkConf conf) {
    Settings settings = read(conf);
    return new SluiceConfig(settings, codec(settings, conf), Optional.empty());
  }

  /**
   * Reads an application's configuration, with its secret if there is to be one.
   *
   * @param security Spark's, from whose secret ours is derived if there is one
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static SluiceConfig of(SparkConf conf, SecurityManager security) {
    Settings settings = read(conf);
    Optional<Secret> secret =
        settings.get(SluiceKeys.SECURITY_ENABLED)
            ? Optional.of(secret(settings, security))
            : Optional.empty();
    return new SluiceConfig(settings, codec(settings, conf), secret);
  }

  private static Secret secret(Settings settings, SecurityManager security) {
    if (security.isAuthenticationEnabled()) {
      String application = required(settings, SluiceKeys.APPLICATION_ID);
      return Secret.of(Secret.derive(security.getSecretKey(), application, LABEL));
    }
    return Secret.of(required(settings, SluiceKeys.SECRET));
  }

  private static String required(Settings settings, ConfigKey<Optional<String>> key) {
    return settings
        .get(key)
        .orElseThrow(
            () ->
                new SluiceException(
                    ErrorCode.INVALID_CONFIGURATION, key + " was not set by the driver"));
  }

  private static Settings read(SparkConf conf) {
    Map<String, String> values = new HashMap<>();
    for (Tuple2<String, String> entry : conf.getAllWithPrefix(SluiceKeys.PREFIX)) {
      values.put(SluiceKeys.PREFIX + entry._1(), entry._2());
    }
    return new ConfigReader(List.of(SluiceKeys.SECTION))
        .values("Spark configuration", values)
        .check(
            ConfigCheck.over(
                List.of(SluiceKeys.CODEC),
                (settings, problems) -> {
                  String name = codec(settings, conf);
                  if (!BlockCodecs.isKnown(name)) {
                    problems.accept(
                        codecKey(settings)
                            + ": there is no codec "
                            + name
                            + ": lz4, zstd, snappy, lzf, none or the name of a class");
                  }
                }))
        .read();
  }

  private static String codec(Settings settings, SparkConf conf) {
    return settings.get(SluiceKeys.CODEC).orElseGet(() -> codecOf(conf));
  }

  /** The key that names the codec. */
  private static String codecKey(Settings settings) {
    return settings.get(SluiceKeys.CODEC).isPresent() ? SluiceKeys.CODEC.name() : SPARKS_CODEC_KEY;
  }

  private static String codecOf(SparkConf conf) {
    return conf.getBoolean("spark.shuffle.compress", true)
        ? conf.get(SPARKS_CODEC_KEY, SPARKS_CODEC)
        : BlockCodecs.NO_CODEC;
  }

  public List<HostPort> coordinators() {
    return settings.get(SluiceKeys.COORDINATORS);
  }

  public Duration coordinatorDeadline() {
    return settings.get(SluiceKeys.COORDINATOR_DEADLINE);
  }

  /** When shuffles go through Spark's own shuffle. */
  public FallbackPolicy fallback() {
    return settings.get(SluiceKeys.FALLBACK);
  }

  /** Shuffles of fewer partitions than these are local; 0 if none are. */
  public int fallbackPartitions() {
    return settings.get(SluiceKeys.FALLBACK_PARTITIONS);
  }

  /** How long a shuffle waits for its place before it fails or is local. */
  public Duration placementPatience() {
    Duration after = settings.get(SluiceKeys.FALLBACK_AFTER);
    return fallback() == FallbackPolicy.AUTO && after.compareTo(coordinatorDeadline()) < 0
        ? after
        : coordinatorDeadline();
  }

  /** Servers that hold each block. */
  public int replicas() {
    return settings.get(SluiceKeys.REPLICAS);
  }

  /** How executors talk to servers, such as {@code netty}. */
  public String transport() {
    return settings.get(SluiceKeys.TRANSPORT).toString().toLowerCase(Locale.ROOT);
  }

  /** The application's id if the driver minted one, which it does unless all shuffles are local. */
  public Optional<String> applicationId() {
    return settings.get(SluiceKeys.APPLICATION_ID);
  }

  /** What the application wants of the servers that hold its shuffles. */
  public PlacementWishes placementWishes() {
    return new PlacementWishes(
            settings.get(SluiceKeys.PLACEMENT),
            settings.get(SluiceKeys.PLACEMENT_TAGS).orElse(List.of()),
            settings.get(SluiceKeys.PLACEMENT_ZONE).orElse(""))
        .withGrpc(settings.get(SluiceKeys.TRANSPORT) == Transport.GRPC);
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
    return new ApplicationId(UUID.fromString(required(settings, SluiceKeys.APPLICATION_ID)));
  }

  /** What the application proves itself by; empty where security is off. */
  public Optional<Secret> secret() {
    return secret;
  }

  /**
   * Reads the files that connections are encrypted with; empty if they are not to be.
   *
   * @throws SluiceException INVALID_CONFIGURATION naming one that cannot be used
   */
  public Optional<Tls> openTls() {
    if (!settings.get(SluiceKeys.TLS_ENABLED)) {
      return Optional.empty();
    }
    TlsFiles files =
        new TlsFiles(
            settings.get(SluiceKeys.TLS_CERTIFICATE_FILE),
            settings.get(SluiceKeys.TLS_KEY_FILE),
            settings.get(SluiceKeys.TLS_TRUST_FILE));
    return Optional.of(new Tls(TlsMaterial.open(files), false));
  }

  /**
   * Bounds of the writers.
   *
   * @param conf for the partitions up to which Spark's own writer serialises records at once:
   *     whoever raised it may count on that; and for what bounds its collections of objects
   */
  public WriteLimits writeLimits(SparkConf conf) {
    int atOnce =
        conf.getInt("spark.shuffle.sort.bypassMergeThreshold", SPARKS_BYPASS_MERGE_THRESHOLD);
    return new WriteLimits(
        settings.get(SluiceKeys.BLOCK_SIZE).toIntBytes(),
        settings.get(SluiceKeys.WRITE_BUFFER).toBytes(),
        Math.max(atOnce, SPARKS_BYPASS_MERGE_THRESHOLD),
        new ObjectLimits(
            conf.getSizeAsBytes(
                "spark.shuffle.spill.initialMemoryThreshold", SPARKS_UNACCOUNTED_BYTES),
            conf.getInt("spark.shuffle.spill.numElementsForceSpillThreshold", Integer.MAX_VALUE),
            conf.getSizeAsBytes(
                "spark.shuffle.spill.maxSizeInBytesForSpillThreshold", Long.MAX_VALUE)));
  }

  public ClientConfig clientConfig() {
    // Codecs may expand a block by less than an eighth; a frame holds one whole block so expanded.
    int frame = settings.get(SluiceKeys.BLOCK_SIZE).toIntBytes() / 4 * 5;
    ClientConfig.Builder config = ClientConfig.builder();
    config.frameBytes(frame).maxBlockBytes(frame);
    config.maxInFlightBytes(
        Math.max(settings.get(SluiceKeys.WRITE_IN_FLIGHT).toBytes(), 4L * frame));
    config.readerCreditBytes(settings.get(SluiceKeys.READ_IN_FLIGHT).toBytes());
    // All readers' together. They are on the heap, and are joined there once more: with half of it
    // one can be.
    config.maxSpanningRecordBytes(Runtime.getRuntime().maxMemory() / 2);
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

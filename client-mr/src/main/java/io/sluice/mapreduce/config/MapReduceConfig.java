package io.sluice.mapreduce.config;

import io.sluice.client.ClientConfig;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.Settings;
import io.sluice.common.error.SluiceException;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** What {@link MapReduceKeys} say, checked. Immutable. */
public final class MapReduceConfig {
  /** After this one coordinator is left for the next. */
  private static final Duration ATTEMPT = Duration.ofSeconds(5);

  /** One event loop carries some 3 GB/s, and a task is one thread of work. */
  private static final int EVENT_LOOPS = 1;

  /**
   * Of a reduce's heap: beside seven tenths times two thirds of it for runs, a long record is there
   * in pieces and then once more in one.
   */
  private static final int PARTS_FOR_LONG_RECORDS = 4;

  private final Settings settings;
  private final Duration blockDeadline;

  private MapReduceConfig(Settings settings, Duration blockDeadline) {
    this.settings = settings;
    this.blockDeadline = blockDeadline;
  }

  /**
   * Reads the configuration of a job that this process runs a task of: whatever either plug-in
   * would find wrong with it, so that the first task says all.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static MapReduceConfig ofTask(Configuration job) {
    return read(
        job,
        List.of(
            ConfigCheck.over(List.of(), (settings, problems) -> PlugIns.check(job, problems)),
            ConfigCheck.over(List.of(), (settings, problems) -> JobMemory.check(job, problems))));
  }

  /**
   * Reads a job's configuration, for who runs none of its tasks or has read it as above.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static MapReduceConfig of(Configuration job) {
    return read(job, List.of());
  }

  private static MapReduceConfig read(Configuration job, List<ConfigCheck> more) {
    Map<String, String> values = new HashMap<>();
    for (String name : job.getPropsWithPrefix(MapReduceKeys.PREFIX).keySet()) {
      // By the whole name, so that variables in values are replaced as everywhere in Hadoop.
      String value = job.get(MapReduceKeys.PREFIX + name);
      if (value != null) {
        values.put(MapReduceKeys.PREFIX + name, value);
      }
    }
    ConfigReader reader =
        new ConfigReader(List.of(MapReduceKeys.SECTION))
            .values("job configuration", values)
            .check(ConfigCheck.over(List.of(), (settings, problems) -> refuse(job, problems)))
            .check(
                ConfigCheck.over(
                    List.of(MapReduceKeys.BLOCK_DEADLINE),
                    (settings, problems) -> checkTimeout(job, given(settings), problems)));
    more.forEach(reader::check);
    Settings read = reader.read();
    Duration deadline = read.get(MapReduceKeys.BLOCK_DEADLINE);
    long timeout = taskTimeout(job);
    return new MapReduceConfig(
        read,
        timeout == 0 || deadline.toMillis() < timeout
            ? deadline
            : Duration.ofMillis(Math.max(1_000, timeout / 4 * 3)));
  }

  /** What the user has set; the default makes way for a job's timeout. */
  private static Duration given(Settings settings) {
    return settings.isGiven(MapReduceKeys.BLOCK_DEADLINE)
        ? settings.get(MapReduceKeys.BLOCK_DEADLINE)
        : Duration.ZERO;
  }

  /** In milliseconds; 0 if there is none, or none that can be understood. */
  private static long taskTimeout(Configuration job) {
    try {
      return Math.max(
          0, job.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS));
    } catch (NumberFormatException e) {
      return 0; // refuse() says so
    }
  }

  private static void refuse(Configuration job, Consumer<String> problems) {
    try {
      job.getLong(MRJobConfig.TASK_TIMEOUT, 0);
    } catch (NumberFormatException e) {
      problems.accept(
          MRJobConfig.TASK_TIMEOUT
              + " = "
              + job.get(MRJobConfig.TASK_TIMEOUT)
              + ": no number of milliseconds");
    }
    if (job.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) {
      problems.accept(
          MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
              + "=true is not supported by Sluice: blocks would be stored unencrypted. Switch it"
              + " off, or use Hadoop's own shuffle.");
    }
  }

  /** Hadoop kills a task that says nothing for longer, and none does while it waits for a block. */
  private static void checkTimeout(Configuration job, Duration wait, Consumer<String> problems) {
    long timeout = taskTimeout(job);
    if (timeout > 0 && wait.toMillis() >= timeout) {
      problems.accept(
          MapReduceKeys.BLOCK_DEADLINE
              + " must be less than "
              + MRJobConfig.TASK_TIMEOUT
              + ", "
              + timeout
              + " ms");
    }
  }

  public CoordinatorClientConfig coordinators() {
    return new CoordinatorClientConfig(
        settings.get(MapReduceKeys.COORDINATORS),
        settings.get(MapReduceKeys.COORDINATOR_DEADLINE),
        ATTEMPT);
  }

  /** Servers that hold each block. */
  public int replicas() {
    return settings.get(MapReduceKeys.REPLICAS);
  }

  /** What the job wants of the servers that hold its outputs. */
  public PlacementWishes placementWishes() {
    return new PlacementWishes(
            settings.get(MapReduceKeys.PLACEMENT),
            settings.get(MapReduceKeys.PLACEMENT_TAGS).orElse(List.of()),
            settings.get(MapReduceKeys.PLACEMENT_ZONE).orElse(""))
        .withGrpc(settings.get(MapReduceKeys.TRANSPORT) == Transport.GRPC);
  }

  /** Raw bytes of a block. */
  public int blockBytes() {
    return settings.get(MapReduceKeys.BLOCK_SIZE).toIntBytes();
  }

  /** How long the job may be silent. */
  public Duration lease() {
    return settings.get(MapReduceKeys.LEASE);
  }

  public boolean securityEnabled() {
    return settings.get(MapReduceKeys.SECURITY_ENABLED);
  }

  /** The secret that the job was given; empty if it is to be derived. */
  public Optional<String> secret() {
    return settings.get(MapReduceKeys.SECRET);
  }

  /**
   * Reads the files that connections are encrypted with; empty if they are not to be.
   *
   * @throws SluiceException INVALID_CONFIGURATION naming one that cannot be used
   */
  public Optional<Tls> openTls() {
    if (!settings.get(MapReduceKeys.TLS_ENABLED)) {
      return Optional.empty();
    }
    TlsFiles files =
        new TlsFiles(
            settings.get(MapReduceKeys.TLS_CERTIFICATE_FILE),
            settings.get(MapReduceKeys.TLS_KEY_FILE),
            settings.get(MapReduceKeys.TLS_TRUST_FILE));
    return Optional.of(new Tls(TlsMaterial.open(files), false));
  }

  public ClientConfig client() {
    // Blocks that do not shrink are stored as they are, so none is larger than this.
    int block = blockBytes();
    int frame = block + block / 4 + BlockHeader.LENGTH;
    ClientConfig.Builder config = ClientConfig.builder();
    config.frameBytes(frame).maxBlockBytes(block);
    config.maxInFlightBytes(
        Math.max(settings.get(MapReduceKeys.WRITE_IN_FLIGHT).toBytes(), 4L * frame));
    config.readerCreditBytes(settings.get(MapReduceKeys.READ_IN_FLIGHT).toBytes());
    config.maxSpanningRecordBytes(Runtime.getRuntime().maxMemory() / PARTS_FOR_LONG_RECORDS);
    config.transport(settings.get(MapReduceKeys.TRANSPORT));
    config.eventLoops(EVENT_LOOPS);
    config.connectTimeout(settings.get(MapReduceKeys.CONNECT_TIMEOUT));
    config.suspectAfter(settings.get(MapReduceKeys.SUSPECT_AFTER));
    config.reconnectDeadline(settings.get(MapReduceKeys.RECONNECT_DEADLINE));
    config.blockDeadline(blockDeadline);
    return config.build();
  }
}

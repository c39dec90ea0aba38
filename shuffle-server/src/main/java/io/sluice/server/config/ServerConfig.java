package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.server.disk.DiskOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a shuffle server can be told.
 *
 * @param memoryBytes budget of the whole process
 * @param dataDirs one per disk; none: memory only
 */
public record ServerConfig(
    Advertised advertised,
    Listen listen,
    List<HostPort> coordinators,
    long memoryBytes,
    List<Path> dataDirs,
    Limits limits,
    Storage storage) {

  /**
   * Under what clients reach it.
   *
   * @param host empty: the machine's own name
   * @param port empty: the data port that was bound
   */
  public record Advertised(Optional<String> host, Optional<Integer> port) {}

  /** Where it listens; port 0 is any free port. */
  public record Listen(String bindAddress, int port, int httpPort, int eventLoops) {}

  /** What clients may do. */
  public record Limits(
      int maxConnections,
      long seedBytes,
      int maxBlockBytes,
      Duration wantTimeout,
      Duration idleCredit,
      boolean verifyCrc) {}

  /** How disks are used, and for how long a stop waits for them. */
  public record Storage(
      int unitBytes,
      long segmentBytes,
      long catalogBytes,
      double flushStart,
      Duration stopTimeout) {

    /** How each disk is used: as {@link DiskOptions#ssd} but for what is configured. */
    public DiskOptions diskOptions() {
      DiskOptions ssd = DiskOptions.ssd();
      return new DiskOptions(
          unitBytes,
          ssd.stagingBuffers(),
          segmentBytes,
          ssd.readThreads(),
          ssd.maxQueuedReads(),
          ssd.maxOpenFiles(),
          catalogBytes,
          ssd.reservedSpace());
    }
  }

  public static final ConfigKey<Optional<String>> HOST =
      ConfigKey.text("server.host")
          .doc(
              "Name or address under which clients reach this server. Without it, the machine's own"
                  + " host name.")
          .optional();
  public static final ConfigKey<Optional<Integer>> ADVERTISED_PORT =
      ConfigKey.integer("server.advertised-port")
          .doc(
              "Port under which clients reach this server, where a proxy, NAT or a port mapping is"
                  + " in between. Without it, the data port.")
          .between("1", "65535")
          .optional();
  public static final ConfigKey<String> BIND_ADDRESS =
      ConfigKey.text("server.bind-address")
          .doc("Local address to listen on.")
          .defaultsTo("0.0.0.0");
  public static final ConfigKey<Integer> PORT =
      ConfigKey.integer("server.port")
          .doc("Data port. 0 takes any free one.")
          .between("0", "65535")
          .defaultsTo("7410");
  public static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.integer("server.http.port")
          .doc("Port of /metrics, /health/live and /health/ready. 0 takes any free one.")
          .between("0", "65535")
          .defaultsTo("7411");
  public static final ConfigKey<Optional<Integer>> EVENT_LOOPS =
      ConfigKey.integer("server.event-loops")
          .doc(
              "Threads that move bytes between sockets and memory. Without it, one per processor,"
                  + " at most 8: one moves about 3 GB/s.")
          .between("1", "32")
          .optional();
  public static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("server.coordinators")
          .doc("All coordinators of the cluster; the server finds the leader among them.")
          .defaultsTo("localhost:7400");
  public static final ConfigKey<DataSize> MEMORY =
      ConfigKey.size("server.memory")
          .doc(
              "Budget of the whole process. What heap, buffers, catalogs and the JVM itself leave"
                  + " of it holds shuffle data; the division is printed at start.")
          .atLeast("256m")
          .defaultsTo("2g");
  public static final ConfigKey<Optional<List<Path>>> DATA_DIRS =
      ConfigKey.paths("server.data-dirs")
          .doc(
              "One directory per disk. Without any, data is held in memory only and pushes are"
                  + " refused when it is full.")
          .optional();
  public static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("server.connections.max")
          .doc("Clients connected at once; each has a seed of credit waiting for it.")
          .between("1", "100000")
          .defaultsTo("512");
  public static final ConfigKey<DataSize> SEED =
      ConfigKey.size("server.connections.seed")
          .doc("Bytes that a client may push before it has asked. A multiple of 4k.")
          .between("4k", "16m")
          .defaultsTo("64k");
  public static final ConfigKey<DataSize> MAX_BLOCK =
      ConfigKey.size("server.block.max")
          .doc("Largest block. Longer records go on in the next one.")
          .between("64k", "16m")
          .defaultsTo("2m");
  public static final ConfigKey<Duration> WANT_TIMEOUT =
      ConfigKey.duration("server.credit.want-timeout")
          .doc("How long a client waits for memory before it is told that there is none.")
          .between("100ms", "10m")
          .defaultsTo("30s");
  public static final ConfigKey<Duration> CREDIT_IDLE =
      ConfigKey.duration("server.credit.idle")
          .doc("A client that has not pushed for this long is asked for its spare credit.")
          .between("100ms", "10m")
          .defaultsTo("5s");
  public static final ConfigKey<Boolean> VERIFY_CRC =
      ConfigKey.bool("server.verify-crc")
          .doc("Whether blocks are checked on receipt. Readers check them in any case.")
          .defaultsTo("true");
  public static final ConfigKey<Double> FLUSH_START =
      ConfigKey.number("server.flush.start")
          .doc("Share of the arena in use above which data goes to disk.")
          .between("0.05", "0.95")
          .defaultsTo("0.5");
  public static final ConfigKey<DataSize> UNIT =
      ConfigKey.size("server.disk.unit")
          .doc("Bytes written to a disk at once: 4m suits flash, 8m spinning disks.")
          .between("256k", "64m")
          .defaultsTo("4m");
  public static final ConfigKey<DataSize> SEGMENT =
      ConfigKey.size("server.disk.segment")
          .doc("Size at which a segment file is ended and the next one begun.")
          .between("1m", "64g")
          .defaultsTo("1g");
  public static final ConfigKey<DataSize> CATALOG_MEMORY =
      ConfigKey.size("server.disk.catalog-memory")
          .doc("Strict limit of a disk's catalog, caches and write buffers together.")
          .between("1m", "1g")
          .defaultsTo("16m");
  public static final ConfigKey<Duration> STOP_TIMEOUT =
      ConfigKey.duration("server.stop.flush-timeout")
          .doc(
              "How long an orderly stop writes memory to disk before it gives up. Before that it"
                  + " waits for clients to go, for a quarter as long at most.")
          .between("1s", "1h")
          .defaultsTo("60s");

  public static final ConfigSection SECTION =
      ConfigSection.of(
              "Shuffle server",
              "Read by `sluice server`.",
              List.of(
                  HOST,
                  ADVERTISED_PORT,
                  BIND_ADDRESS,
                  PORT,
                  HTTP_PORT,
                  EVENT_LOOPS,
                  COORDINATORS,
                  MEMORY,
                  DATA_DIRS,
                  MAX_CONNECTIONS,
                  SEED,
                  MAX_BLOCK,
                  WANT_TIMEOUT,
                  CREDIT_IDLE,
                  VERIFY_CRC,
                  FLUSH_START,
                  UNIT,
                  SEGMENT,
                  CATALOG_MEMORY,
                  STOP_TIMEOUT))
          .withChecks(
              ConfigCheck.over(
                  List.of(MAX_BLOCK, UNIT), (settings, problems) -> checkUnit(settings, problems)),
              ConfigCheck.over(
                  List.of(UNIT, SEGMENT),
                  (settings, problems) -> {
                    if (settings.get(SEGMENT).toBytes() < 2 * settings.get(UNIT).toBytes()) {
                      problems.accept(SEGMENT + " must be at least twice " + UNIT);
                    }
                  }),
              ConfigCheck.over(
                  List.of(DATA_DIRS),
                  (settings, problems) -> {
                    List<Path> dirs = settings.get(DATA_DIRS).orElse(List.of());
                    if (new HashSet<>(dirs).size() < dirs.size()) {
                      problems.accept(DATA_DIRS + " names a directory twice");
                    }
                  }));

  private static void checkUnit(Settings settings, Consumer<String> problems) {
    long unit = settings.get(UNIT).toBytes();
    if (unit % MemoryPlan.ALIGNMENT != 0) {
      problems.accept(UNIT + " must be a multiple of 4k");
    }
    if (unit < 2 * settings.get(MAX_BLOCK).toBytes()) {
      problems.accept(UNIT + " must be at least twice " + MAX_BLOCK);
    }
  }

  public static ServerConfig from(Settings settings) {
    return new ServerConfig(
        new Advertised(settings.get(HOST), settings.get(ADVERTISED_PORT)),
        new Listen(
            settings.get(BIND_ADDRESS),
            settings.get(PORT),
            settings.get(HTTP_PORT),
            settings.get(EVENT_LOOPS).orElseGet(ServerConfig::eventLoops)),
        settings.get(COORDINATORS),
        settings.get(MEMORY).toBytes(),
        settings.get(DATA_DIRS).orElse(List.of()),
        new Limits(
            settings.get(MAX_CONNECTIONS),
            settings.get(SEED).toBytes(),
            settings.get(MAX_BLOCK).toIntBytes(),
            settings.get(WANT_TIMEOUT),
            settings.get(CREDIT_IDLE),
            settings.get(VERIFY_CRC)),
        new Storage(
            settings.get(UNIT).toIntBytes(),
            settings.get(SEGMENT).toBytes(),
            settings.get(CATALOG_MEMORY).toBytes(),
            settings.get(FLUSH_START),
            settings.get(STOP_TIMEOUT)));
  }

  private static int eventLoops() {
    return Math.min(8, Runtime.getRuntime().availableProcessors());
  }
}

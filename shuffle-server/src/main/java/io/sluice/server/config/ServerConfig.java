package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.AckRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a shuffle server can be told.
 *
 * @param dataDirs one per disk; none: memory only
 * @param replicationAck when a block that goes to other servers is acknowledged
 * @param standing where the server stands, and what it has that others have not
 */
public record ServerConfig(
    Advertised advertised,
    Listen listen,
    GrpcConfig grpc,
    List<HostPort> coordinators,
    Memory memory,
    List<DataDir> dataDirs,
    Limits limits,
    Storage storage,
    TierConfig tiers,
    AckRule replicationAck,
    StandingConfig standing) {

  /**
   * Under what clients reach it.
   *
   * @param host empty: the machine's own name
   * @param port empty: the data port that was bound
   */
  public record Advertised(Optional<String> host, Optional<Integer> port) {}

  /** Where it listens; port 0 is any free port. */
  public record Listen(String bindAddress, int port, int httpPort, int eventLoops) {}

  /**
   * What the whole process may take.
   *
   * @param preallocate whether all of the arena is taken at start
   */
  public record Memory(long budgetBytes, boolean preallocate) {}

  /** What clients may do. */
  public record Limits(
      int maxConnections,
      long seedBytes,
      int maxBlockBytes,
      Duration wantTimeout,
      Duration idleCredit,
      boolean verifyCrc,
      QuotaLimits quotas) {

    /** What clients are promised, in an arena of so many bytes. */
    public CreditLimits credit(long arenaBytes) {
      return new CreditLimits(
          seedBytes,
          maxConnections,
          maxBlockBytes,
          arenaBytes / 8,
          wantTimeout.toNanos(),
          idleCredit.toNanos());
    }
  }

  /**
   * How disks are used, and for how long a stop waits for them.
   *
   * @param unitBytes empty: as fits each disk
   */
  public record Storage(
      OptionalInt unitBytes,
      long segmentBytes,
      long catalogBytes,
      double flushStart,
      Duration stopTimeout) {

    /** How a disk is used: as its class needs it, but for what is configured. */
    public DiskOptions diskOptions(DiskClass kind) {
      DiskOptions fitting = DiskOptions.of(kind);
      return fitting
          .withSizes(unitBytes.orElse(fitting.unitSize()), segmentBytes)
          .withCatalogMemory(catalogBytes);
    }
  }

  /**
   * The class whose sizes fit a remote file system: a unit of 4 MiB takes it 35 ms at 1 Gbit/s,
   * beside 1 to 2 ms of the round trip through its datanodes.
   */
  static final DiskClass REMOTE_LIKE = DiskClass.SSD;

  /** Whether anything depends on whose applications are. */
  public boolean needsUsers() {
    return limits.quotas().limitsUsers()
        || tiers.remote().map(RemoteStorage::impersonate).orElse(false);
  }

  /** The smallest unit of any store: what goes to disk as one piece must fit each. */
  public int smallestUnit() {
    int smallest =
        dataDirs.stream()
            .mapToInt(dir -> storage.diskOptions(dir.kind()).unitSize())
            .min()
            .orElse(Integer.MAX_VALUE);
    return dataDirs.isEmpty() || tiers.remote().isPresent()
        ? Math.min(smallest, storage.diskOptions(REMOTE_LIKE).unitSize())
        : smallest;
  }

  public static final ConfigKey<Optional<String>> HOST =
      ConfigKey.host("server.host")
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
      ConfigKey.host("server.bind-address")
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
  public static final ConfigKey<Optional<DataSize>> MEMORY =
      ConfigKey.size("server.memory")
          .doc(
              "Budget of the whole process. What heap, buffers, catalogs and the JVM itself leave"
                  + " of it holds shuffle data; the division is printed at start. Without it, a"
                  + " quarter of the memory of the machine, or of the container or service that the"
                  + " process is in.")
          .atLeast("256m")
          .optional();
  public static final ConfigKey<Boolean> PREALLOCATE =
      ConfigKey.bool("server.memory.preallocate")
          .doc(
              "Whether all memory for shuffle data is taken at start, about half a second for each"
                  + " GiB: then no push waits for the system to find and clear it, and memory that"
                  + " is not there shows at once and not in the middle of a job.")
          .defaultsTo("false");
  public static final ConfigKey<Optional<List<DataDir>>> DATA_DIRS =
      ConfigKey.listOf("server.data-dirs", "path, ssd:path or hdd:path", DataDir::parse)
          .doc(
              "One directory per disk, with what the disk is made of: sizes of writes and reads"
                  + " follow it. A plain path is an ssd. Without any, data is held in memory only"
                  + " and pushes are refused when it is full.")
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
          .doc("How long a client waits for memory, while nobody gets any, before it is told so.")
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
  public static final ConfigKey<AckRule> REPLICATION_ACK =
      ConfigKey.oneOf("server.replication.ack", AckRule.class)
          .doc(
              "When a block that has replicas is acknowledged: once all servers of its set hold it,"
                  + " or once more than half do. With majority a slow server of three does not slow"
                  + " writers down, and what one of them misses is not made up for.")
          .defaultsTo("all");
  public static final ConfigKey<Double> FLUSH_START =
      ConfigKey.number("server.flush.start")
          .doc("Share of the arena in use above which data goes to disk.")
          .between("0.05", "0.95")
          .defaultsTo("0.5");
  public static final ConfigKey<Optional<DataSize>> UNIT =
      ConfigKey.size("server.disk.unit")
          .doc("Bytes written to a disk at once. Without it, 4m to an ssd and 8m to an hdd.")
          .between("256k", "64m")
          .optional();
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
              keys(
                  HOST,
                  ADVERTISED_PORT,
                  BIND_ADDRESS,
                  PORT,
                  HTTP_PORT,
                  EVENT_LOOPS,
                  COORDINATORS,
                  MEMORY,
                  PREALLOCATE,
                  DATA_DIRS,
                  MAX_CONNECTIONS,
                  SEED,
                  MAX_BLOCK,
                  WANT_TIMEOUT,
                  CREDIT_IDLE,
                  VERIFY_CRC,
                  QuotaConfig.USER,
                  QuotaConfig.APPLICATION,
                  QuotaConfig.PARTITION,
                  QuotaConfig.SPLIT,
                  REPLICATION_ACK,
                  FLUSH_START,
                  UNIT,
                  SEGMENT,
                  CATALOG_MEMORY,
                  STOP_TIMEOUT))
          .withChecks(
              GrpcConfig.CHECK,
              StandingConfig.CHECK,
              TierConfig.ROOT_CHECK,
              TierConfig.LOGIN_CHECK,
              TierConfig.ROOT_NEEDED_CHECK,
              TierConfig.IMPERSONATION_CHECK,
              ConfigCheck.differentPorts(List.of(PORT, HTTP_PORT), List.of(GrpcConfig.PORT)),
              ConfigCheck.over(
                  List.of(SEED),
                  (settings, problems) -> {
                    if (!isAligned(settings.get(SEED).toBytes())) {
                      problems.accept(SEED + " must be a multiple of 4k");
                    }
                  }),
              ConfigCheck.over(
                  List.of(MAX_BLOCK, UNIT, DATA_DIRS, TierConfig.HDFS_ROOT),
                  (settings, problems) -> checkUnit(settings, problems)),
              ConfigCheck.over(
                  List.of(UNIT, SEGMENT, DATA_DIRS, TierConfig.HDFS_ROOT),
                  (settings, problems) -> {
                    if (settings.get(SEGMENT).toBytes() < 2 * units(settings).max().orElse(0)) {
                      problems.accept(SEGMENT + " must be at least twice " + UNIT);
                    }
                  }),
              ConfigCheck.over(
                  List.of(DATA_DIRS),
                  (settings, problems) ->
                      DataDir.overlaps(settings.get(DATA_DIRS).orElse(List.of()))
                          .forEach(overlap -> problems.accept(DATA_DIRS + ": " + overlap))));

  /** Of all stores; of an ssd if there is none. */
  private static LongStream units(Settings settings) {
    List<DataDir> dirs = settings.get(DATA_DIRS).orElse(List.of());
    boolean more = dirs.isEmpty() || settings.get(TierConfig.HDFS_ROOT).isPresent();
    Stream<DiskClass> kinds =
        Stream.concat(
            dirs.stream().map(DataDir::kind), more ? Stream.of(REMOTE_LIKE) : Stream.empty());
    Optional<DataSize> unit = settings.get(UNIT);
    return kinds.mapToLong(
        kind ->
            unit.map(DataSize::toBytes).orElseGet(() -> (long) DiskOptions.of(kind).unitSize()));
  }

  /** All of them, gRPC's, the tiers' and the standing's last. */
  private static List<ConfigKey<?>> keys(ConfigKey<?>... own) {
    return Stream.of(List.of(own), GrpcConfig.KEYS, TierConfig.KEYS, StandingConfig.KEYS)
        .flatMap(List::stream)
        .toList();
  }

  private static void checkUnit(Settings settings, Consumer<String> problems) {
    long unit = units(settings).min().orElse(0);
    if (!isAligned(unit)) {
      problems.accept(UNIT + " must be a multiple of 4k");
    }
    if (unit < 2 * settings.get(MAX_BLOCK).toBytes()) {
      problems.accept(UNIT + " must be at least twice " + MAX_BLOCK);
    }
  }

  static boolean isAligned(long bytes) {
    return bytes % MemoryPlan.ALIGNMENT == 0;
  }

  public static ServerConfig from(Settings settings) {
    return new ServerConfig(
        new Advertised(settings.get(HOST), settings.get(ADVERTISED_PORT)),
        new Listen(
            settings.get(BIND_ADDRESS),
            settings.get(PORT),
            settings.get(HTTP_PORT),
            settings.get(EVENT_LOOPS).orElseGet(ServerConfig::eventLoops)),
        GrpcConfig.from(settings),
        settings.get(COORDINATORS),
        new Memory(memory(settings).toBytes(), settings.get(PREALLOCATE)),
        settings.get(DATA_DIRS).orElse(List.of()),
        new Limits(
            settings.get(MAX_CONNECTIONS),
            settings.get(SEED).toBytes(),
            settings.get(MAX_BLOCK).toIntBytes(),
            settings.get(WANT_TIMEOUT),
            settings.get(CREDIT_IDLE),
            settings.get(VERIFY_CRC),
            QuotaConfig.from(settings)),
        new Storage(
            settings.get(UNIT).stream().mapToInt(DataSize::toIntBytes).findFirst(),
            settings.get(SEGMENT).toBytes(),
            settings.get(CATALOG_MEMORY).toBytes(),
            settings.get(FLUSH_START),
            settings.get(STOP_TIMEOUT)),
        TierConfig.from(settings),
        settings.get(REPLICATION_ACK),
        StandingConfig.from(settings));
  }

  /** The budget of the process that reads these settings here. */
  public static DataSize memory(Settings settings) {
    return settings
        .get(MEMORY)
        .orElseGet(() -> MemoryPlan.defaultBudget(ProcessMemory.current().machine()));
  }

  private static int eventLoops() {
    return Math.min(8, Runtime.getRuntime().availableProcessors());
  }
}

package io.sluice.server.config;

import io.sluice.common.config.DataSize;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.NettyServer;
import java.util.Optional;

/**
 * How the budget of the process is divided, in bytes. What nothing else needs is the arena.
 *
 * @param network receive buffers of the event loops, frames on their way out, and what gRPC holds
 * @param staging units being filled or written, of all disks
 * @param caches what was read from all disks, neighbours of what was asked for included
 * @param reads buffers for what is on its way from a disk to a reader
 * @param catalogs of all disks
 * @param jvm code, classes, threads, collector
 */
public record MemoryPlan(
    long budget,
    long heap,
    long network,
    long staging,
    long caches,
    long reads,
    long catalogs,
    long jvm,
    long arena) {
  static final int ALIGNMENT = 4096;

  /** Size of a buffer for reads; a piece of a fetch is at most as large. */
  public static final int READ_BUFFER = TransportLimits.MAX_DATA_BYTES;

  private static final long MIB = 1 << 20;
  // A pooled arena of a loop: the receive buffer and the headers of frames, in chunks of 1 MiB.
  private static final long NETWORK_PER_LOOP = 4 * MIB;
  // Measured on a server under load: 30 MiB of code and classes, 1 MiB for each of up to 40 stacks
  // and native arenas; the collector's tables are about a twentieth of the heap.
  private static final long JVM_BASE = 72 * MIB;
  private static final long HEAP_PER_COLLECTOR_BYTE = 20;
  private static final int BUDGET_PER_READ_BYTE = 32;
  private static final int MIN_READ_BUFFERS = 16;
  // Every waiting read has a buffer, so with no more buffers than may wait none is ever refused.
  private static final int MAX_READ_BUFFERS = ReadOptions.ssd().maxWaiting();
  // All disks together; see docs/read-path.md for what it is good for. What a spindle reads twice
  // costs it far more than what it writes in smaller extents.
  private static final int BUDGET_PER_FLASH_CACHE_BYTE = 16;
  private static final int SMALL_BUDGET_PER_CACHE_BYTE = 32;
  private static final int BUDGET_PER_SPINDLE_CACHE_BYTE = 8;
  private static final int MACHINE_PER_DEFAULT_BYTE = 4;

  /** A server of which staging would take more than this share writes fewer units at a time. */
  private static final int BUDGET_PER_STAGING_BYTE = 32;

  /** Below this, blocks need what windows would like. */
  private static final long SMALL_BUDGET = 512 * MIB;

  private static final long DEFAULT_MIN = 256 * MIB;
  // Each is a thread that a call to HDFS may keep for long.
  private static final int REMOTE_THREADS = 4;
  private static final int ADOPTED_THREADS = 2;
  private static final int ADOPTED_UNIT = 64 << 10;

  /** Without TLS. */
  public static MemoryPlan of(ServerConfig config, ProcessMemory process) {
    return of(config, process, false);
  }

  /**
   * @param tls whether connections are encrypted, by copies of what they send
   * @throws SluiceException INVALID_CONFIGURATION if nothing is left for the arena, or the machine
   *     or the JVM's own limits allow less
   */
  public static MemoryPlan of(ServerConfig config, ProcessMemory process, boolean tls) {
    MemoryPlan plan = divide(config, process, tls);
    beyondMachine(plan.budget, process)
        .or(() -> plan.problem(process))
        .ifPresent(
            why -> {
              throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, why);
            });
    return plan;
  }

  /** The same, whatever comes of it: a part may be negative. */
  static MemoryPlan divide(ServerConfig config, ProcessMemory process, boolean tls) {
    long budget = config.memory().budgetBytes();
    int disks = stores(config);
    long network = network(config, tls);
    long staging = 0;
    long caches = 0;
    for (DataDir dir : config.dataDirs()) {
      DiskOptions options = diskOptions(config, dir);
      staging += options.stagingMemory();
      caches += options.reads().directMemory();
    }
    if (config.tiers().remote().isPresent()) {
      DiskOptions own = remoteOptions(config);
      DiskOptions adopted = adoptedOptions(config);
      staging += own.stagingMemory() + RemoteStorage.ADOPTED_MAX * adopted.stagingMemory();
      caches +=
          own.reads().directMemory() + RemoteStorage.ADOPTED_MAX * adopted.reads().directMemory();
    }
    long reads = disks == 0 ? READ_BUFFER : (long) readBuffers(budget) * READ_BUFFER;
    long catalogs = disks * config.storage().catalogBytes();
    long jvm = JVM_BASE + process.heap() / HEAP_PER_COLLECTOR_BYTE;
    long rest = budget - process.heap() - network - staging - caches - reads - catalogs - jvm;
    long arena = rest / MIB * MIB;
    return new MemoryPlan(
        budget, process.heap(), network, staging, caches, reads, catalogs, jvm, arena);
  }

  /**
   * The budget of a server that was given none: one of several tenants, as on a laptop, and not the
   * machine's only purpose.
   *
   * @param machine as in {@link ProcessMemory}
   */
  static DataSize defaultBudget(long machine) {
    long share = machine / MACHINE_PER_DEFAULT_BYTE / MIB * MIB;
    return DataSize.ofBytes(Math.max(DEFAULT_MIN, share));
  }

  private static long network(ServerConfig config, boolean tls) {
    long grpc = config.grpc().port().isEmpty() ? 0 : GrpcServer.BYTES_PER_CONNECTION;
    long encrypted = tls ? NettyServer.TLS_BYTES_PER_CONNECTION : 0;
    return config.listen().eventLoops() * NETWORK_PER_LOOP
        + config.limits().maxConnections() * (grpc + encrypted);
  }

  private static int readBuffers(long budget) {
    long share = budget / BUDGET_PER_READ_BYTE / READ_BUFFER;
    return (int) Math.min(MAX_READ_BUFFERS, Math.max(MIN_READ_BUFFERS, share));
  }

  /** How a disk is used, within the plan. */
  public static DiskOptions diskOptions(ServerConfig config, DataDir dir) {
    DiskOptions options =
        withinShare(
            config, config.storage().diskOptions(dir.kind()), cacheShare(config, dir.kind()));
    long share = config.memory().budgetBytes() / BUDGET_PER_STAGING_BYTE / stores(config);
    while (options.writesAtOnce() > 1
        && share < (long) options.stagingBuffers() * options.stagingBuffer()) {
      options = options.withWritesAtMost(options.writesAtOnce() / 2);
    }
    return options;
  }

  private static int cacheShare(ServerConfig config, DiskClass kind) {
    if (kind == DiskClass.HDD) {
      return BUDGET_PER_SPINDLE_CACHE_BYTE;
    }
    boolean small = config.memory().budgetBytes() < SMALL_BUDGET;
    return small ? SMALL_BUDGET_PER_CACHE_BYTE : BUDGET_PER_FLASH_CACHE_BYTE;
  }

  /** How this server's own store on the remote tier is used, within the plan. */
  public static DiskOptions remoteOptions(ServerConfig config) {
    DiskOptions options =
        config.storage().diskOptions(ServerConfig.REMOTE_LIKE).withWritesAtMost(1);
    return withinShare(
        config,
        options.withReads(options.reads().withThreads(REMOTE_THREADS)),
        SMALL_BUDGET_PER_CACHE_BYTE);
  }

  /**
   * How a store that was taken over is used, within the plan: it is read only, by those whose
   * server died, so it has the least staging and two windows of the size of a read buffer.
   */
  public static DiskOptions adoptedOptions(ServerConfig config) {
    DiskOptions options =
        config.storage().diskOptions(ServerConfig.REMOTE_LIKE).withWritesAtMost(1);
    ReadOptions reads =
        new ReadOptions(
            ADOPTED_THREADS,
            options.reads().maxWaiting(),
            READ_BUFFER,
            options.reads().gap(),
            (ADOPTED_THREADS + 1) * READ_BUFFER);
    return options.withSizes(ADOPTED_UNIT, config.storage().segmentBytes()).withReads(reads);
  }

  private static DiskOptions withinShare(ServerConfig config, DiskOptions options, int share) {
    long cache = config.memory().budgetBytes() / share / stores(config);
    return options.withReads(options.reads().withCache(cache));
  }

  /** Disks and remote tiers that a server flushes to. */
  public static int stores(ServerConfig config) {
    return config.dataDirs().size() + (config.tiers().remote().isPresent() ? 1 : 0);
  }

  /**
   * The part of the heap for tables of shuffles, partitions and extents: half. With 64 MiB of heap
   * that is 65,000 partitions, or 340,000 extents: 13 GiB of blocks at a hundred extents in a unit
   * of 4 MiB. The other half is for connections and for what lives only for a moment.
   */
  public long tables() {
    return heap / 2;
  }

  /** How many buffers {@link #reads} are. */
  public int readBuffers() {
    return (int) (reads / READ_BUFFER);
  }

  /** What to tell of a budget that the machine has not got. */
  static Optional<String> beyondMachine(long budget, ProcessMemory process) {
    return budget <= process.machine()
        ? Optional.empty()
        : Optional.of(
            setting(budget)
                + " is more than the "
                + size(process.machine())
                + " of the machine or its cgroup: lower it");
  }

  /** What is wrong with the division, for people, other than that. */
  Optional<String> problem(ProcessMemory process) {
    if (arena <= 0) {
      return problem(
          "leaves nothing for data: raise it, or lower the heap (-Xmx) or "
              + ServerConfig.MAX_CONNECTIONS.name()
              + ", which the network's part goes by");
    }
    long direct = arena + staging + caches + reads + network;
    if (direct > process.direct()) {
      return problem(
          "needs "
              + size(direct)
              + " of direct memory, the JVM allows "
              + size(process.direct())
              + ": raise -XX:MaxDirectMemorySize");
    }
    return Optional.empty();
  }

  private Optional<String> problem(String what) {
    return Optional.of(setting(budget) + " " + what + ". " + describe());
  }

  private static String setting(long budget) {
    return ServerConfig.MEMORY + " = " + size(budget);
  }

  /** One line for people. */
  public String describe() {
    return "memory "
        + size(budget)
        + " = heap "
        + size(heap)
        + " + network "
        + size(network)
        + " + staging "
        + size(staging)
        + " + caches "
        + size(caches)
        + " + reads "
        + size(reads)
        + " + catalogs "
        + size(catalogs)
        + " + JVM "
        + size(jvm)
        + " + data "
        + size(arena);
  }

  private static String size(long bytes) {
    return bytes < 0 ? "-" + size(-bytes) : DataSize.ofBytes(bytes / MIB * MIB).toString();
  }
}

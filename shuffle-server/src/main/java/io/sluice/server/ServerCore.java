package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.credit.CreditBroker;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.credit.GrantPolicy;
import io.sluice.server.damage.ExtentChecks;
import io.sluice.server.fetch.Convoys;
import io.sluice.server.fetch.FetchParts;
import io.sluice.server.fetch.ReadBuffers;
import io.sluice.server.flush.Flusher;
import io.sluice.server.ingest.IngestParts;
import io.sluice.server.ingest.PushGate;
import io.sluice.server.inventory.Inventories;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryShortage;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MemoryPieces;
import io.sluice.server.quota.Quotas;
import io.sluice.server.replication.Replication;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.user.UserDirectory;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSessionFactory;
import java.util.concurrent.CompletableFuture;

/**
 * A whole shuffle server but for its sockets, threads and disks: give it links, a scheduler and
 * stores, real or simulated. Starts no thread and reads no clock of its own.
 */
public final class ServerCore implements ServerSessionFactory {
  private final CoreParts parts;
  private final TableBudget tables;
  private final Quotas quotas;
  private final LiveConnections connections = new LiveConnections();
  private volatile boolean draining;

  /**
   * Takes up what the stores recovered.
   *
   * @throws SluiceException INVALID_CONFIGURATION if the sizes do not add up
   */
  public ServerCore(CoreSettings settings, CoreSeams seams) {
    this(settings, seams, new UserDirectory());
  }

  /**
   * The same, with a directory that others look into as well.
   *
   * @param users to be changed through {@link #quotas} only
   */
  public ServerCore(CoreSettings settings, CoreSeams seams, UserDirectory users) {
    check(settings);
    ServerStats stats = new ServerStats();
    long reserve = settings.replication().reserveBytes();
    ChunkArena arena =
        new ChunkArena(
            new MemoryBudget(settings.memory().arenaBytes() - reserve),
            new MemoryBudget(reserve),
            seams.flushExecutor());
    this.tables = new TableBudget(settings.memory().tableBytes());
    this.quotas = new Quotas(settings.quotas(), users);
    ShuffleRegistry registry =
        new ShuffleRegistry(settings.maxRunBytes(), seams.stores(), tables, quotas);
    CreditBroker broker =
        new CreditBroker(
            settings.credit(),
            arena.budget(),
            seams.scheduler(),
            new CoreGrantPolicy(quotas, () -> parts().flusher().full()),
            this::flushIfDue);
    CreditBroker replicaBroker = reserve == 0 ? broker : replicaBroker(settings, arena, seams);
    Replication replication =
        new Replication(
            seams.peers(),
            settings.replication().ack(),
            ReplicationLimits.keptOf(settings.memory().arenaBytes()));
    registry.onRemoval(replication::shuffleRemoved);
    ExtentChecks checks = new ExtentChecks(seams.flushExecutor(), seams.scheduler(), stats);
    registry.onRemoval(checks::shufflesRemoved);
    Flusher flusher =
        new Flusher(
            settings.flush(),
            new Flusher.Memory(arena, MemoryShortage.either(broker, replicaBroker)),
            registry,
            seams.stores(),
            new Flusher.FlushThreads(seams.flushExecutor(), seams.scheduler()),
            stats);
    this.parts =
        new CoreParts(
            new IngestParts(
                arena,
                broker,
                new PushGate(tables, settings.quotas().splitBytes()),
                stats,
                replication),
            replicaBroker,
            registry,
            flusher,
            new FetchParts(
                new ReadBuffers(
                    settings.reads().bufferBytes(), settings.reads().buffers(), seams.stores()),
                new Convoys(seams.scheduler()),
                new MemoryPieces(),
                LeaseBudget.ofArena(settings.memory().arenaBytes()),
                checks,
                stats),
            new Inventories(
                registry::stores, settings.memory().tableBytes(), seams.flushExecutor()),
            seams.identity());
  }

  private CreditBroker replicaBroker(CoreSettings settings, ChunkArena arena, CoreSeams seams) {
    CreditLimits limits = settings.replication().credit(settings.credit());
    return new CreditBroker(
        limits, arena.reserve(), seams.scheduler(), GrantPolicy.EVEN, this::flushIfDue);
  }

  /**
   * Flushes if that is due now: memory has become short, or a store was fenced or is back, so that
   * what it took or did not take falls to others. Any thread.
   */
  public void flushIfDue() {
    parts.flusher().memoryGrew();
  }

  private CoreParts parts() {
    return parts;
  }

  private static void check(CoreSettings settings) {
    if (settings.flush().unitBytes() < settings.credit().maxCharge()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "a unit of "
              + settings.flush().unitBytes()
              + " bytes cannot hold the largest block of "
              + settings.credit().maxBlockBytes()
              + " bytes");
    }
  }

  @Override
  public Accepted accept(PeerInfo peer, ServerLink link) {
    if (draining) {
      throw new SluiceException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
    }
    ServerConnection connection = new ServerConnection(peer, link, parts, connections);
    return new Accepted(connection, connection.seedCredit());
  }

  /**
   * To be called after the incarnation rose: ends every connection that was told the old one.
   * Clients come back and learn the new one, without which they would take every later placement
   * for a sign of lost blocks. Any thread; the connections end a little later.
   */
  public void endStaleConnections() {
    connections.end(ErrorCode.STALE_INCARNATION, "the server is now " + parts.identity().get());
  }

  /**
   * Takes no more blocks, or takes them again; fetches go on. Any thread.
   *
   * @return completes once nothing comes in any more that was under way
   */
  public CompletableFuture<Void> decommission(boolean begins) {
    parts.gate().drain(begins);
    if (begins) {
      parts.broker().refuseAll(ErrorCode.DRAINING);
      parts.replicaBroker().refuseAll(ErrorCode.DRAINING);
    }
    return connections.settled();
  }

  /**
   * Coordinators do not hear this server: writers look for another, and go on here if there is
   * none. Any thread.
   *
   * @param times how often this was said since they last heard it; 0 when they hear it again
   */
  public void unheard(int times) {
    parts.gate().unheard(times);
  }

  /** The shuffles held, to be removed by directives. */
  public ShuffleRegistry shuffles() {
    return parts.registry();
  }

  public ServerStats stats() {
    return parts.stats();
  }

  public ChunkArena arena() {
    return parts.arena();
  }

  /** Heap of the tables of shuffles, partitions and extents. */
  public TableBudget tables() {
    return tables;
  }

  /** What applications hold here. */
  public Quotas quotas() {
    return quotas;
  }

  public CreditBroker credit() {
    return parts.broker();
  }

  /** Credit of connections from other servers. */
  public CreditBroker replicaCredit() {
    return parts.replicaBroker();
  }

  /** What goes to other servers; to be closed before the event loops are. */
  public Replication replication() {
    return parts.replication();
  }

  /** What readers have on lease of what is in memory. */
  public LeaseBudget leases() {
    return parts.fetch().leases();
  }

  public ReadBuffers readBuffers() {
    return parts.fetch().buffers();
  }

  /** Large partitions that are being read from disks. */
  public Convoys convoys() {
    return parts.fetch().convoys();
  }

  /**
   * Takes no new connections and no more blocks, and writes everything in memory to disk; fetches
   * of the connections there are go on meanwhile. Ends with whether all of it got there: then every
   * block that was ever acknowledged is on a disk.
   */
  public CompletableFuture<Boolean> drain() {
    draining = true;
    parts.gate().shut();
    return connections.settled().thenCompose(settled -> parts.flusher().drain());
  }

  /** Bytes of blocks in memory that have not reached a disk; a glance. */
  public long unsavedBytes() {
    return parts.flusher().unsavedBytes();
  }

  /** Of these, on their way to disks; a glance. */
  public long flushingBytes() {
    return parts.flusher().flushingBytes();
  }

  /** Whether a store takes seconds for a unit. */
  boolean slow(SegmentStore store) {
    return parts.flusher().slow(store);
  }
}

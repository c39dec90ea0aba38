package io.sluice.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.Connector;
import io.sluice.client.connection.SocketConnector;
import io.sluice.client.fetch.FetchContext;
import io.sluice.client.fetch.LateBlockReader;
import io.sluice.client.fetch.ReadScope;
import io.sluice.client.fetch.RoundsBlockReader;
import io.sluice.client.inventory.Inventories;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Placements;
import io.sluice.client.push.PushContext;
import io.sluice.client.push.PushingMapOutput;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A process's access to shuffle servers: owns event loops, connections and buffers, which all its
 * map outputs and readers share. Thread-safe; one per process.
 */
public final class SluiceClient implements AutoCloseable {
  private final Connector connector;
  private final ConnectionPool connections;
  private final Placements placements;
  private final PushContext push;
  private final FetchContext fetch;
  private final Inventories inventories = new Inventories();
  private final TaskSignal.Factory signals;
  private final Clock clock;

  /**
   * A client over given seams.
   *
   * @param connector owned by the client from here
   * @param placements where newer placements come from
   * @param allocator of direct buffers
   * @param signals how tasks wait
   */
  public SluiceClient(
      ClientConfig config,
      Connector connector,
      Placements placements,
      ByteBufAllocator allocator,
      TaskSignal.Factory signals,
      Clock clock) {
    this.connector = connector;
    this.connections = new ConnectionPool(connector, config, placements);
    this.placements = placements;
    this.push = new PushContext(config, placements, allocator, signals, clock);
    this.fetch = new FetchContext(config, allocator, signals, clock);
    this.signals = signals;
    this.clock = clock;
  }

  /** A client over sockets, with threads of its own, for placements that stay. */
  public static SluiceClient open(ClientConfig config) {
    return open(config, Placements.fixed());
  }

  /** A client over sockets, with threads of its own, that proves nothing. */
  public static SluiceClient open(ClientConfig config, Placements placements) {
    return open(config, placements, ClientSecurity.off());
  }

  /**
   * A client over sockets, with threads of its own.
   *
   * @param security as whom it connects, and how
   */
  public static SluiceClient open(
      ClientConfig config, Placements placements, ClientSecurity security) {
    return open(config, placements, security, TaskSignal.Factory.parking());
  }

  /**
   * The same for tasks that are ended by more than an interrupt.
   *
   * @param signals how tasks wait
   */
  public static SluiceClient open(
      ClientConfig config,
      Placements placements,
      ClientSecurity security,
      TaskSignal.Factory signals) {
    ByteBufAllocator allocator = Pool.SHARED;
    Clock clock = Clock.system();
    return new SluiceClient(
        config,
        SocketConnector.open(config, security, allocator, clock),
        placements,
        allocator,
        signals,
        clock);
  }

  /**
   * The output of one map attempt; to be used and closed by one thread.
   *
   * @param attemptId the engine's task attempt id, unique in the application
   */
  public MapOutput openMapOutput(ShufflePlacement placement, int mapIndex, long attemptId) {
    return new PushingMapOutput(placement, mapIndex, attemptId, connections, push);
  }

  /** The same, with memory that nobody counts. */
  public BlockReader read(
      ShufflePlacement placement,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap,
      ExpectedMaps expected) {
    return read(
        placement,
        firstPartition,
        endPartition,
        firstMap,
        endMap,
        expected,
        ReaderMemory.UNCOUNTED);
  }

  /**
   * Blocks of partitions {@code [firstPartition, endPartition)} of maps {@code [firstMap, endMap)};
   * to be used and closed by the calling thread. Requests have left when this returns, unless the
   * winners used an epoch that the process has yet to learn of; until the reader is used, at most
   * its credit arrives.
   *
   * @param endMap Integer.MAX_VALUE for all
   * @param expected what must be found there
   * @param memory asked for {@link ClientConfig#readerCreditBytes} before this returns
   */
  public BlockReader read(
      ShufflePlacement placement,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap,
      ExpectedMaps expected,
      ReaderMemory memory) {
    long credit = credit(memory);
    Function<ShufflePlacement, BlockReader> open =
        known -> {
          RoundsBlockReader reader =
              new RoundsBlockReader(
                  new ReadScope(known, firstPartition, endPartition, firstMap, endMap, expected),
                  connections,
                  fetch,
                  memory,
                  credit);
          reader.start();
          return reader;
        };
    ShufflePlacement known = placements.newest(placement);
    int epochs = expected.lastEpoch() + 1;
    return known.epochs() >= epochs
        ? open.apply(known)
        : new LateBlockReader(atLeast(known, epochs), open, signals.create(), clock);
  }

  /**
   * What a server has whole on its disks of a shuffle. Takes no thread; for whoever decides what is
   * computed again after the server came back without its memory.
   *
   * @param server as it is now
   * @return as {@link Inventories#ask}
   */
  public CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    return inventories.ask(connections.get(server, shuffle), shuffle, server);
  }

  private long credit(ReaderMemory memory) {
    long wanted = fetch.config().readerCreditBytes();
    long granted = memory.credit(wanted);
    return Math.min(wanted, Math.max(ClientConfig.LEAST_READER_CREDIT_BYTES, granted));
  }

  /** Of a shuffle that is gone the old placement will do: servers say that nothing is there. */
  private CompletionStage<ShufflePlacement> atLeast(ShufflePlacement known, int epochs) {
    return placements
        .atLeast(known, epochs, List.of())
        .exceptionally(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              if (cause instanceof SluiceException
                  && ((SluiceException) cause).code() == ErrorCode.UNKNOWN_SHUFFLE) {
                return known;
              }
              throw new CompletionException(cause);
            });
  }

  /**
   * Heap, in bytes, that readers hold of records that are longer than a block, or have reserved for
   * them: at most {@link ClientConfig#maxSpanningRecordBytes}, all readers together.
   */
  public long longRecordBytes() {
    return fetch.longRecordBytes();
  }

  /** Fails what is under way, closes all connections and ends the event loops. */
  @Override
  public void close() {
    connections.close();
    fetch.close();
    connector.close();
  }

  /**
   * One for all clients of a process. Engine threads keep what they have taken from a pool for as
   * long as they live, so a pool for each client would stay after it: where one process runs
   * hundreds of MapReduce tasks, some MiB each.
   */
  private static final class Pool {
    static final ByteBufAllocator SHARED = new PooledByteBufAllocator(true);
  }
}

package io.sluice.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.Connector;
import io.sluice.client.connection.SocketConnector;
import io.sluice.client.fetch.FetchContext;
import io.sluice.client.fetch.FetchingBlockReader;
import io.sluice.client.fetch.ReadScope;
import io.sluice.client.push.PushContext;
import io.sluice.client.push.PushingMapOutput;
import io.sluice.common.time.Clock;
import io.sluice.transport.session.ClientAuthenticator;

/**
 * A process's access to shuffle servers: owns event loops, connections and buffers, which all its
 * map outputs and readers share. Thread-safe; one per process.
 */
public final class SluiceClient implements AutoCloseable {
  private final Connector connector;
  private final ConnectionPool connections;
  private final PushContext push;
  private final FetchContext fetch;

  /**
   * A client over given seams.
   *
   * @param connector owned by the client from here
   * @param allocator of direct buffers
   * @param signals how tasks wait
   */
  public SluiceClient(
      ClientConfig config,
      Connector connector,
      ByteBufAllocator allocator,
      TaskSignal.Factory signals,
      Clock clock) {
    this.connector = connector;
    this.connections = new ConnectionPool(connector, config);
    this.push = new PushContext(config, allocator, signals, clock);
    this.fetch = new FetchContext(config, allocator, signals, clock);
  }

  /** A client over sockets, with threads and buffers of its own. */
  public static SluiceClient open(ClientConfig config) {
    ByteBufAllocator allocator = new PooledByteBufAllocator(true);
    Clock clock = Clock.system();
    return new SluiceClient(
        config,
        SocketConnector.open(config, ClientAuthenticator.none(), allocator, clock),
        allocator,
        ThreadSignal::new,
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

  /**
   * Blocks of partitions {@code [firstPartition, endPartition)} of maps {@code [firstMap, endMap)};
   * to be used and closed by the calling thread. Requests have left when this returns; until the
   * reader is used, at most {@link ClientConfig#readerCreditBytes} arrive.
   *
   * @param endMap Integer.MAX_VALUE for all
   * @param expected what must be found there
   */
  public BlockReader read(
      ShufflePlacement placement,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap,
      ExpectedMaps expected) {
    FetchingBlockReader reader =
        new FetchingBlockReader(
            new ReadScope(placement, firstPartition, endPartition, firstMap, endMap, expected),
            connections,
            fetch);
    reader.start();
    return reader;
  }

  /** Fails what is under way, closes all connections and ends the event loops. */
  @Override
  public void close() {
    connections.close();
    connector.close();
  }
}

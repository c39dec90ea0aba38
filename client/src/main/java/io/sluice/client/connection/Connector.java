package io.sluice.client.connection;

import io.sluice.client.PlacedServer;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientSession;

/** Makes connections to servers. The seam between the client and sockets. Thread-safe. */
public interface Connector extends AutoCloseable {
  /**
   * An event loop, one of few, given out in turn. Its tasks run one after another; it lives until
   * {@link #close}, after which it refuses tasks with {@code RejectedExecutionException}.
   */
  Scheduler loop();

  /**
   * Begins to connect: resolves the host again, opens the connection, shakes hands. Everything the
   * session hears, it hears on {@code loop}: first {@code connected} or {@code closed}. The name
   * and the connection must be there within the connect timeout, and the handshake within another.
   *
   * @param loop one that {@link #loop} gave
   */
  void connect(Scheduler loop, PlacedServer server, ClientSession session);

  /** Closes what is left and ends the loops. Tasks already given to them still run. */
  @Override
  void close();
}

package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientSession;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;

/**
 * Connects this server to others. The one place where a server makes outgoing connections of the
 * data plane: whoever implements it decides how one proves who one is. Thread-safe.
 */
public interface PeerConnector {
  /**
   * An event loop, one of few, given out in turn. Its tasks run one after another.
   *
   * @throws java.util.concurrent.RejectedExecutionException from the loop once it has ended
   */
  Scheduler loop();

  /**
   * Begins to connect to the member's address, and says which server is meant: another one that
   * answers there is {@code WRONG_SERVER}. Everything the session hears, it hears on {@code loop}:
   * first {@code connected} or {@code closed}, within bounded time.
   *
   * @param loop one that {@link #loop} gave
   */
  void connect(Scheduler loop, ReplicaMember member, ClientSession session);

  /**
   * Whether a client may say where this server connects to. It could name an address of its own and
   * pass on to the server meant what it is told there, unless connections are bound to who is at
   * their end.
   */
  default boolean mayBeSentBy(Principal client) {
    return true;
  }

  /** Reaches nobody: for a server that has no peers. */
  static PeerConnector none(Scheduler loop) {
    return new PeerConnector() {
      @Override
      public Scheduler loop() {
        return loop;
      }

      @Override
      public void connect(Scheduler where, ReplicaMember member, ClientSession session) {
        where.execute(
            () ->
                session.closed(
                    new SluiceException(ErrorCode.CONNECT_FAILED, member + ": no way there")));
      }
    };
  }
}

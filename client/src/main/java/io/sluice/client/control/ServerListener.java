package io.sluice.client.control;

import io.sluice.client.PlacedServer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Told what happens to servers, on the scheduler's thread; must not block. */
public interface ServerListener {
  /**
   * Every server there is. Comes first, and again after every interruption: what happened meanwhile
   * is told by nothing else. A server that is absent, or here under another incarnation than data
   * was placed on, counts as lost.
   */
  void snapshot(List<ServerStatus> servers);

  /** One server changed. */
  void changed(ServerStatus server);

  /**
   * No coordinator is heard any more: what was told may not be so now. What {@link #snapshot} or
   * {@link #some} says is so again.
   */
  default void unheard() {}

  /**
   * The servers in placements that the listener has, asked whenever a stream begins. With an answer
   * it need not hear of all servers, but of these, of those that shuffles of the application are
   * placed on from then on, and of some others that partitions may go to: {@link #some}.
   *
   * @return empty if it wants to hear of all
   */
  default Optional<Collection<PlacedServer>> inUse() {
    return Optional.empty();
  }

  /**
   * Whether a server should get no more blocks, by what was heard of it: a placement that was made
   * a while ago is not used then. Thread-safe.
   */
  default boolean isAway(PlacedServer server) {
    return false;
  }

  /**
   * In place of {@link #snapshot} if the leader tells of some servers only. One that was in use and
   * is not there any more is LOST here. Of servers that are absent nothing is said.
   */
  default void some(List<ServerStatus> servers) {
    throw new IllegalStateException("asked for all servers, and told of some: " + servers);
  }
}

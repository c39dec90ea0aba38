package io.sluice.coordinator.membership;

/** Told of every change, on the control thread, after it has taken effect. */
public interface MembershipListener {
  /**
   * A server is new, changed state, came back under a new incarnation (first its old one is LOST),
   * or moved.
   */
  void changed(ServerView server);

  /** A lost server has been away so long that nothing about it is kept. */
  void forgotten(ServerView server);
}

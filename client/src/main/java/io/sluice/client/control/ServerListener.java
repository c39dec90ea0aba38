package io.sluice.client.control;

import io.sluice.common.error.SluiceException;
import java.util.List;

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
   * The application is refused for good, such as one that an operator has ended: what it stored is
   * gone, and nothing is told any more.
   *
   * @param reason the coordinator's, APPLICATION_ENDED
   */
  default void ended(SluiceException reason) {}
}

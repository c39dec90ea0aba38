package io.sluice.server.control;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsage;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.server.security.KnownVerifiers;
import io.sluice.server.user.KnownUsers;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The server as its control session sees it. Called on the session's scheduler, which is held up as
 * long as a call takes: none waits for a disk.
 */
public interface ControlHandler {
  /** Who the server is now, and whose data it holds. */
  ServerHello hello();

  ServerLoad load();

  /**
   * What of applications' use of the server has changed since this was last asked, or since {@link
   * #hello}; what is said here is reported.
   */
  default List<ApplicationUsage> usageNews() {
    return List.of();
  }

  void removeShuffle(ShuffleKey shuffle);

  void removeApplication(ApplicationId application);

  /** These were removed, and are back: their blocks are taken again. */
  void returned(List<ApplicationId> applications);

  /** Whose applications are; told only if the hello asked for it. */
  void users(KnownUsers users);

  /** What applications prove themselves by; told only if the hello asked for it. */
  void verifiers(KnownVerifiers verifiers);

  /**
   * Takes no blocks any more and serves readers, or takes blocks again.
   *
   * @return completes on any thread once nothing can come in any more that was under way
   */
  CompletionStage<Void> drain(boolean begins);

  /**
   * No coordinator has heard the server for so long that they suspect it, or one hears it again;
   * see {@link Unheard}.
   *
   * @param times how often this was said since one did; 0 when one does
   */
  void unheard(int times);

  /**
   * Takes an incarnation above the one given, which counts as lost.
   *
   * @return completes on any thread, with whether it has one; never if no disk answers
   */
  CompletionStage<Boolean> fence(long incarnation);
}

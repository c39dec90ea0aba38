package io.sluice.coordinator.registry;

import io.sluice.common.time.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What takes effect once it is kept, and not before. */
public final class Kept {
  private static final Logger log = LoggerFactory.getLogger(Kept.class);

  private Kept() {}

  /**
   * Runs an effect on the control thread after a write has succeeded.
   *
   * @return completes there after the effect; or fails there as the write did, nothing having
   *     changed
   */
  public static CompletionStage<Void> then(
      Scheduler control, CompletionStage<Void> write, Runnable effect) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    write.whenComplete(
        (nothing, failure) ->
            control.execute(
                () -> {
                  if (failure != null) {
                    done.completeExceptionally(failure);
                  } else {
                    effect.run();
                    done.complete(null);
                  }
                }));
    return done;
  }

  /** Notes that a write failed which nothing waits for: what is left behind expires. */
  public static void logFailure(String what, CompletionStage<Void> write) {
    write.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            log.warn("{} was not persisted", what, failure);
          }
        });
  }
}

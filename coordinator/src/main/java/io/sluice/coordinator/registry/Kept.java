package io.sluice.coordinator.registry;

import io.sluice.common.time.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What takes effect once it is kept, and not before. */
public final class Kept {
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
}

package io.sluice.benchmarks.storage.load;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The end of several connections: when all have ended well, or as soon as one has failed. */
final class AllEnds {
  private AllEnds() {}

  static CompletableFuture<Void> of(List<? extends QuietLink> links) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    CompletableFuture<?>[] ends = new CompletableFuture<?>[links.size()];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = links.get(i).end();
      CompletableFuture<?> unused =
          ends[i].whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  all.completeExceptionally(failure);
                }
              });
    }
    CompletableFuture<?> unused = CompletableFuture.allOf(ends).thenRun(() -> all.complete(null));
    return all;
  }
}

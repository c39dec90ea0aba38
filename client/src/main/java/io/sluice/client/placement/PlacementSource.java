package io.sluice.client.placement;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Who makes epochs: the engine's driver, as a process reaches it. Thread-safe. */
public interface PlacementSource {
  /**
   * Asks for a placement with at least so many epochs. If there is one already it is the answer;
   * else one more epoch is made, in which what the complaints are about lies elsewhere.
   *
   * @param complaints empty if the epochs are known to exist, or if the caller has met nothing bad
   * @return the placement, or a {@code SluiceException}: NO_SERVERS if nothing can move, or why the
   *     driver cannot be asked. Completes in bounded time, on any thread; never blocks the caller
   */
  CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey shuffle, int epochs, List<Complaint> complaints);

  /**
   * Whether who makes epochs hears of servers all the time, so that it may know a reason for one
   * that nobody complains of, and says so from memory.
   */
  default boolean hearsOfServers() {
    return false;
  }

  /**
   * What is known of a server, in the life that a placement names, which this process cannot reach:
   * what becomes of it, and where it is now. It is waited for as long as the answer is {@link
   * Prospect#RETURNS}.
   *
   * @return completes in bounded time, on any thread; a failure counts as {@link
   *     Whereabouts#UNKNOWN}. Never blocks the caller
   */
  default CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    return CompletableFuture.completedFuture(Whereabouts.UNKNOWN);
  }
}

package io.sluice.simulation.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The coordinators: whoever leads now, if anybody does, and what they must not forget. */
public final class SimCoordinator {
  private final World world;
  private final ClusterRules rules;
  private final Dice dice;
  private final long maxDelayNanos;
  private final MemoryStateStore store;
  private @Nullable CoordinatorNode leader;

  /**
   * @param maxDelayNanos of one call or answer
   */
  public SimCoordinator(World world, ClusterRules rules, long maxDelayNanos) {
    this.world = world;
    this.rules = rules;
    this.dice = world.forkDice();
    this.maxDelayNanos = maxDelayNanos;
    this.store = new MemoryStateStore(world.events(), world.forkDice());
  }

  /** A new leader takes over. */
  public void start() {
    if (leader == null) {
      CoordinatorNode started = new CoordinatorNode(world, rules, store);
      world.note(started.process(), "leads");
      leader = started;
      started.process().onDeath(() -> leader = null);
    }
  }

  /** The leader dies; harmless if there is none. */
  public void crash() {
    CoordinatorNode current = leader;
    if (current != null) {
      current.process().kill();
    }
  }

  @Nullable CoordinatorNode leader() {
    return leader;
  }

  long maxDelayNanos() {
    return maxDelayNanos;
  }

  long delay() {
    return dice.skewed(1, maxDelayNanos);
  }

  /**
   * A call from a driver, and its answer on the driver's loop: the cluster's, or
   * COORDINATOR_UNAVAILABLE if there is no leader or it dies before it has answered.
   */
  public <T> CompletableFuture<T> call(
      SimLoop caller, Function<Cluster, CompletionStage<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CoordinatorNode asked = leader;
    if (asked == null) {
      fail(caller, answer, unavailable());
      return answer;
    }
    asked.process().onDeath(() -> fail(caller, answer, unavailable()));
    world
        .events()
        .after(
            delay(),
            asked.control(),
            "is called",
            () -> asked.process().run(() -> serve(asked, caller, answer, request)));
    return answer;
  }

  /** A call whose answer nobody waits for. */
  public void tell(Consumer<Cluster> request) {
    CoordinatorNode told = leader;
    if (told == null) {
      return;
    }
    world
        .events()
        .after(
            delay(),
            told.control(),
            "is told",
            () -> told.process().run(() -> hear(told, request)));
  }

  private void hear(CoordinatorNode told, Consumer<Cluster> request) {
    try {
      request.accept(told.cluster());
    } catch (SluiceException refused) {
      world.note(told.process(), "refuses: " + refused.getMessage());
    }
  }

  private <T> void serve(
      CoordinatorNode asked,
      SimLoop caller,
      CompletableFuture<T> answer,
      Function<Cluster, CompletionStage<T>> request) {
    CompletionStage<T> served;
    try {
      served = request.apply(asked.cluster());
    } catch (SluiceException refused) {
      fail(caller, answer, refused);
      return;
    }
    served.whenComplete(
        (result, failure) -> {
          if (failure != null) {
            fail(caller, answer, failure);
          } else {
            answer(caller, () -> answer.complete(result));
          }
        });
  }

  private void fail(SimLoop caller, CompletableFuture<?> answer, Throwable failure) {
    answer(caller, () -> answer.completeExceptionally(failure));
  }

  private void answer(SimLoop caller, Runnable step) {
    world.events().after(delay(), caller, "is answered", () -> caller.process().run(step));
  }

  private static SluiceException unavailable() {
    return new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "no coordinator leads");
  }
}

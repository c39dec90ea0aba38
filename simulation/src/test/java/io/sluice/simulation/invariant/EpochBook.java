package io.sluice.simulation.invariant;

import static io.sluice.simulation.invariant.Invariant.EPOCHS_ARE_MONOTONIC;

import io.sluice.client.ShufflePlacement;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What anybody was told of epochs and incarnations. Each shuffle has one history of epochs: whoever
 * is told of an epoch is told the same as everybody else, and nobody is told of fewer than before.
 */
public final class EpochBook {
  private final Map<ShuffleKey, ShufflePlacement> longest = new HashMap<>();
  private final Map<Listener, Integer> told = new HashMap<>();
  private final Map<ServerId, Long> incarnations = new HashMap<>();
  private @Nullable Violation broken;

  /** A process was told a placement. Never throws, since its caller may be a future's. */
  public void told(String process, ShufflePlacement placement) {
    try {
      note(process, placement);
    } catch (Violation violation) {
      broken = violation;
    }
  }

  /** Throws what was found out by {@link #told}. */
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }

  private void note(String process, ShufflePlacement placement) {
    Listener listener = new Listener(process, placement.shuffle());
    Integer before = told.put(listener, placement.epochs());
    Violation.unless(
        before == null || before <= placement.epochs(),
        EPOCHS_ARE_MONOTONIC,
        process + " knew " + before + " epochs and is told of " + placement.epochs());
    ShufflePlacement known = longest.putIfAbsent(placement.shuffle(), placement);
    if (known == null || known == placement) {
      return;
    }
    for (int epoch = 0; epoch < Math.min(known.epochs(), placement.epochs()); epoch++) {
      compare(epoch, known, placement, process);
    }
    if (placement.epochs() > known.epochs()) {
      longest.put(placement.shuffle(), placement);
    }
  }

  private static void compare(
      int epoch, ShufflePlacement known, ShufflePlacement placement, String process) {
    boolean same = known.replicas(epoch) == placement.replicas(epoch);
    for (int partition = 0; same && partition < known.partitions(); partition++) {
      boolean named = known.nextNamed(epoch, partition) == partition;
      same = named == (placement.nextNamed(epoch, partition) == partition);
      for (int replica = 0; same && named && replica < known.replicas(epoch); replica++) {
        same =
            known
                .servers()
                .get(known.server(epoch, partition, replica))
                .equals(placement.servers().get(placement.server(epoch, partition, replica)));
      }
    }
    Violation.unless(
        same,
        EPOCHS_ARE_MONOTONIC,
        process + " is told another epoch " + epoch + " of " + known.shuffle() + " than others");
  }

  /**
   * A map attempt has ended well.
   *
   * @param newest the newest epoch of its shuffle by now
   */
  public static void used(int first, int last, int newest) {
    Violation.unless(
        first >= 0 && first <= last && last <= newest,
        EPOCHS_ARE_MONOTONIC,
        "an attempt says that it used epochs " + first + " to " + last + " of " + newest);
  }

  /** A server calls itself by an incarnation. */
  public void lives(ServerId server, long incarnation) {
    Long before = incarnations.put(server, incarnation);
    Violation.unless(
        before == null || before <= incarnation,
        EPOCHS_ARE_MONOTONIC,
        server + " was at incarnation " + before + " and is at " + incarnation);
  }

  /** A server begins a life: under an incarnation that nobody has seen. */
  public void begins(ServerId server, long incarnation) {
    Long before = incarnations.put(server, incarnation);
    Violation.unless(
        before == null || before < incarnation,
        EPOCHS_ARE_MONOTONIC,
        server + " begins incarnation " + incarnation + " after " + before);
  }

  private record Listener(String process, ShuffleKey shuffle) {}
}

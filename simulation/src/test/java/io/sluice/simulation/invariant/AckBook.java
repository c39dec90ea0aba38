package io.sluice.simulation.invariant;

import io.sluice.common.id.ShuffleKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Which lives of servers have acknowledged which blocks, as they said it to whoever sent them. */
public final class AckBook {
  private final Map<Output, Map<Integer, Set<Life>>> acknowledged = new HashMap<>();

  /** What one map attempt has for one partition. */
  public record Output(ShuffleKey shuffle, int map, long attempt, int partition) {}

  /** One incarnation of a server. */
  public record Life(String server, long incarnation) {}

  /**
   * @param block its number in the output
   */
  public void acknowledged(Output output, int block, Life by) {
    acknowledged
        .computeIfAbsent(output, any -> new HashMap<>())
        .computeIfAbsent(block, any -> new HashSet<>())
        .add(by);
  }

  /**
   * Whether an output cannot be whole any more: all lives are gone that have acknowledged some
   * block of it. A block that nobody has acknowledged is not lost that way.
   *
   * @param gone whether what a life had acknowledged need not be there
   */
  public boolean isLost(Output output, Predicate<Life> gone) {
    return acknowledged.getOrDefault(output, Map.of()).values().stream()
        .anyMatch(lives -> lives.stream().allMatch(gone));
  }
}

package io.sluice.server.fetch;

import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.UnusedStore;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A store that is only told apart, and says what it has at hand. */
public record NamedStore(String name, Predicate<Extent> atHand) implements UnusedStore {
  public NamedStore(String name) {
    this(name, extent -> false);
  }

  @Override
  public int firstAtHand(List<ExtentPart> parts) {
    return IntStream.range(0, parts.size())
        .filter(i -> atHand.test(parts.get(i).extent()))
        .findFirst()
        .orElse(-1);
  }
}

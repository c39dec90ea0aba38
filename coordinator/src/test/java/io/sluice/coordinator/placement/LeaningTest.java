package io.sluice.coordinator.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.coordinator.placement.Leaning.Offer;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LeaningTest {
  private static Offer offer(long number, long free, long capacity) {
    return new Offer(new Candidate(Servers.address(number, 1), free), capacity);
  }

  @Test
  void changesNothingBetweenServersThatAreEquallyFull() {
    List<Candidate> leaning = Leaning.lean(List.of(offer(1, 500, 1_000), offer(2, 4_000, 8_000)));

    assertThat(leaning).extracting(Candidate::weight).containsExactly(500L, 4_000L);
  }

  @Test
  void leansToTheEmptierOneByTheSquareOfItsAdvantage() {
    List<Candidate> leaning =
        Leaning.lean(List.of(offer(1, 45_000, 100_000), offer(2, 55_000, 100_000)));

    double ratio = (double) leaning.get(0).weight() / leaning.get(1).weight();
    assertThat(ratio).isCloseTo(Math.pow(45.0 / 55, 3), Percentage.withPercentage(0.1));
  }

  @Test
  void neverLeansWithoutBounds() {
    List<Candidate> leaning =
        Leaning.lean(
            List.of(offer(1, 1, 1L << 40), offer(2, 1L << 40, 1L << 40), offer(3, 9, 1L << 41)));

    assertThat(leaning.get(0).weight()).isEqualTo(1);
    assertThat((double) leaning.get(1).weight()).isCloseTo(4.0 * (1L << 40), within(1.0));
    assertThat(leaning.get(2).weight()).isPositive();
  }

  @Test
  void believesAWeightAboveTheCapacityToBeTheCapacity() {
    List<Candidate> leaning = Leaning.lean(List.of(offer(1, 100, 0), offer(2, 100, 100)));

    assertThat(leaning).extracting(Candidate::weight).containsExactly(100L, 100L);
  }
}

package io.sluice.integration.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  /** Two test classes that run at a time take theirs before either listens. */
  @Test
  void givesOthersWithEveryCall() throws Exception {
    List<Integer> first = FreePorts.take(3);
    List<Integer> second = FreePorts.take(3);

    assertThat(first).doesNotHaveDuplicates().doesNotContainAnyElementsOf(second);
    assertThat(second).doesNotHaveDuplicates();
  }
}

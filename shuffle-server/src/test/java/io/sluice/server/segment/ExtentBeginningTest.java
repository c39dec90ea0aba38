package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The beginning of an extent leads readers of map ranges nowhere behind its end. */
class ExtentBeginningTest {
  private static final Extent WHOLE =
      new Extent(
          3, 7, 4096, 1000, 10, 0, 40, new int[] {0, 10, 20, 30}, new int[] {0, 250, 500, 750});

  @Test
  void endsWhereItIsCutOff() {
    Extent beginning = WHOLE.upTo(500, 5, offset -> true);

    assertThat(beginning.offset()).isEqualTo(4096);
    assertThat(beginning.length()).isEqualTo(500);
    assertThat(beginning.blocks()).isEqualTo(5);
    assertThat(beginning.sparseMaps()).containsExactly(0, 10);
    assertThat(beginning.sparseOffsets()).containsExactly(0, 250);
    assertThat(beginning.startFor(12)).isEqualTo(250);
    assertThat(beginning.startFor(30)).isEqualTo(250);
    assertThat(beginning.startFor(41)).isEqualTo(500);
    assertThat(beginning.endFor(25)).isEqualTo(500);
    assertThat(beginning.endFor(10)).isEqualTo(250);
  }

  @Test
  void leadsNobodyToWhereNoBlockBegins() {
    Extent beginning = WHOLE.upTo(900, 8, offset -> offset != 500);

    assertThat(beginning.sparseMaps()).containsExactly(0, 10, 30);
    assertThat(beginning.sparseOffsets()).containsExactly(0, 250, 750);
    assertThat(beginning.startFor(25)).isEqualTo(250);
    assertThat(beginning.endFor(20)).isEqualTo(750);
  }
}

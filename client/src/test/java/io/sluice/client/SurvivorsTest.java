package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SurvivorsTest {
  /** Against every way in which blocks may lie that were acknowledged. */
  @Test
  void sufficeIfAndOnlyIfEveryBlockIsWithOneOfThem() {
    for (int others = 0; others <= 2; others++) {
      for (int left = 0; left < 1 << (others + 1); left++) {
        for (boolean majority : new boolean[] {false, true}) {
          int needed = majority ? (others + 1) / 2 : others;
          boolean always = true;
          for (int holders = 1; holders < 1 << (others + 1); holders += 2) {
            boolean acknowledged = Integer.bitCount(holders) - 1 >= needed;
            always &= !acknowledged || (holders & left) != 0;
          }
          boolean first = (left & 1) != 0;
          int othersLeft = Integer.bitCount(left & ~1);
          assertThat(Survivors.suffice(majority, others, first, othersLeft))
              .as("%d others, left %d, majority %s", others, left, majority)
              .isEqualTo(always);
        }
      }
    }
  }
}

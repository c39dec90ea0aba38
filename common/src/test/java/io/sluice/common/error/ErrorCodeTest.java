package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorCodeTest {
  @Test
  void numbersAreGroupedByBlame() {
    for (ErrorCode code : ErrorCode.values()) {
      Blame expected =
          switch (code.number() / 1000) {
            case 1 -> Blame.CALLER;
            case 2 -> Blame.CAPACITY;
            case 3 -> Blame.INTERNAL;
            default -> Blame.CORRUPTION;
          };
      assertThat(code.blame()).as(code.name()).isEqualTo(expected);
      assertThat(ErrorCode.ofNumber(code.number())).isEqualTo(code);
    }
  }

  @Test
  void takesAnUnknownNumberFromANewerPeerAsInternal() {
    assertThat(ErrorCode.ofNumber(9999)).isEqualTo(ErrorCode.INTERNAL_ERROR);
  }
}

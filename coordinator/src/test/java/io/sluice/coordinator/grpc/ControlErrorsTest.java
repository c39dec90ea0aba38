package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControlErrorsTest {
  private static ErrorDetail sent(ErrorCode code) {
    return ErrorTrailer.read(ControlErrors.toStatus(new SluiceException(code, "why")))
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void whoKnowsACodeReadsIt(ErrorCode code) {
    ErrorDetail detail = sent(code);
    assertThat(ErrorCode.ofNumbers(detail.getCode(), detail.getNewerCode())).isEqualTo(code);
    assertThat(detail.getMessage()).isEqualTo("why");
  }

  /** Else it would be an INTERNAL_ERROR to it, and tried again for as long as a call may take. */
  @Test
  void whoDoesNotKnowThatAnApplicationWasEndedReadsThatItIsRefused() {
    int code = sent(ErrorCode.APPLICATION_ENDED).getCode();

    assertThat(ErrorCode.ofNumber(code)).isEqualTo(ErrorCode.ACCESS_DENIED);
  }

  @Test
  void whoDoesNotKnowThatServersAreTooFewReadsThatTheWishIsNone() {
    int code = sent(ErrorCode.TOO_FEW_SERVERS).getCode();

    assertThat(ErrorCode.ofNumber(code)).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void aCodeOfALaterReleaseIsTheOneBesideIt() {
    assertThat(ErrorCode.ofNumbers(ErrorCode.ACCESS_DENIED.number(), 1999))
        .isEqualTo(ErrorCode.ACCESS_DENIED);
  }
}

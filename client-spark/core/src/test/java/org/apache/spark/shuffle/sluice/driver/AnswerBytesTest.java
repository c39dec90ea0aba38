package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.Serializable;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerBytesTest {
  private static final class NotToBeSent implements Serializable {
    private static final long serialVersionUID = 1;

    private final transient Object lost = new Object();

    private void writeObject(java.io.ObjectOutputStream out) throws java.io.IOException {
      throw new java.io.NotSerializableException(String.valueOf(lost));
    }
  }

  private static final class Unsendable extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final NotToBeSent part = new NotToBeSent();

    Unsendable(String message) {
      super(message);
      assert part != null;
    }
  }

  @Test
  void anAnswerComesBack() {
    assertThat(AnswerBytes.read(AnswerBytes.of(true), Boolean.class)).isTrue();
    long[] primitives = {1, -2};
    assertThat(AnswerBytes.read(AnswerBytes.of(primitives), long[].class)).isEqualTo(primitives);
    assertThat(AnswerBytes.read(AnswerBytes.of(List.of("a")), Object.class))
        .isEqualTo(List.of("a"));
  }

  @Test
  void aReasonComesBackWithItsCode() {
    assertThat(reason(new SluiceException(ErrorCode.NO_SERVERS, "none")))
        .hasMessageContaining("none")
        .extracting(SluiceException::code)
        .isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(reason(new IllegalStateException("stopped")))
        .hasMessageContaining("stopped")
        .hasCauseInstanceOf(IllegalStateException.class)
        .extracting(SluiceException::code)
        .isEqualTo(ErrorCode.INTERNAL_ERROR);
  }

  @Test
  void ofAReasonThatCannotBeSentTheTextAndTheCodeAre() {
    assertThat(reason(new Unsendable("a handle is open")))
        .hasMessageContaining("a handle is open")
        .extracting(SluiceException::code)
        .isEqualTo(ErrorCode.INTERNAL_ERROR);
    Throwable cause = new Unsendable("and this is why");
    assertThat(reason(new SluiceException(ErrorCode.NO_SERVERS, "none", cause)))
        .hasMessageContaining("none")
        .extracting(SluiceException::code)
        .isEqualTo(ErrorCode.NO_SERVERS);
  }

  @Test
  void anAnswerThatCannotBeSentIsAReason() {
    assertThatExceptionOfType(SluiceException.class)
        .isThrownBy(() -> AnswerBytes.read(AnswerBytes.of(new NotToBeSent()), Object.class))
        .withMessageContaining("cannot send an answer");
  }

  @Test
  void bytesOfSomethingElseAreNamed() {
    assertThatExceptionOfType(SluiceException.class)
        .isThrownBy(() -> AnswerBytes.read(new byte[] {1, 2, 3}, Boolean.class))
        .withMessageContaining("cannot read what the driver answered");
  }

  private static SluiceException reason(RuntimeException reason) {
    byte[] bytes = AnswerBytes.failed(reason);
    try {
      throw new AssertionError("not an answer: " + AnswerBytes.read(bytes, Object.class));
    } catch (SluiceException e) {
      return e;
    }
  }
}

package io.sluice.server.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReadBufferTest {
  private final ReadBufferPool pool = new ReadBufferPool(4096, 1);
  private final ReadBuffer buffer =
      requireNonNull(pool.tryTake("app", "connection", free -> false));
  private int leases;

  ReadBufferTest() {
    buffer.want(10);
  }

  private void copy(int offset, String bytes) {
    buffer.room(offset, bytes.length()).put(bytes.getBytes(US_ASCII));
  }

  private void lease(int offset, String bytes) {
    leases++;
    buffer.lease(offset, ByteBuffer.wrap(bytes.getBytes(US_ASCII)), () -> leases--);
  }

  /** The same bytes by both ways to have them. */
  private static String textOf(OutgoingData piece) {
    StringBuilder whole = new StringBuilder();
    for (ByteBuffer part : piece.buffers()) {
      whole.append(US_ASCII.decode(part));
    }
    StringBuilder ranges = new StringBuilder();
    for (int range = 0; range < piece.ranges(); range++) {
      ByteBuffer memory = piece.memory(range);
      ranges.append(US_ASCII.decode(memory.slice(piece.start(range), piece.length(range))));
    }
    assertThat(ranges.toString()).isEqualTo(whole.toString()).hasSize(piece.length());
    return whole.toString();
  }

  private void checkAllPieces() {
    for (int from = 0; from < 10; from++) {
      for (int to = from + 1; to <= 10; to++) {
        try (OutgoingData piece = buffer.piece(from, to - from)) {
          assertThat(textOf(piece)).isEqualTo("0123456789".substring(from, to));
        }
      }
    }
  }

  @Test
  void anyPieceOfWhatWasCopied() {
    copy(0, "0123456789");
    checkAllPieces();
  }

  @Test
  void anyPieceOfWhatWasLeased() {
    lease(0, "0123456789");
    checkAllPieces();
  }

  @Test
  void anyPieceOfBothInWhateverOrderTheyCame() {
    lease(7, "789");
    copy(5, "56");
    lease(1, "12");
    copy(0, "0");
    lease(3, "34");
    checkAllPieces();
  }

  @Test
  void goesBackAndEndsItsLeasesWithTheLastPiece() {
    lease(0, "01234");
    lease(5, "56789");
    OutgoingData piece = buffer.piece(0, 10);
    buffer.release();
    assertThat(leases).isEqualTo(2);
    assertThat(pool.inUse()).isEqualTo(1);

    piece.close();

    assertThat(leases).isZero();
    assertThat(pool.inUse()).isZero();
    assertThatThrownBy(piece::close).isInstanceOf(IllegalStateException.class);
    assertThat(leases).isZero();
  }
}

package io.sluice.client.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who may have how much of the heap for long records. */
class LongRecordMemoryTest {
  private final LongRecordMemory memory = new LongRecordMemory(1_000);

  @Test
  void aReaderAloneHasHalfOfItWithoutAsking() {
    try (LongRecordMemory.Room room = memory.open()) {
      assertThat(room.take(400)).isTrue();
      assertThat(room.take(101)).isFalse();
      assertThat(room.take(100)).isTrue();
      assertThat(memory.inUse()).isEqualTo(500);
      room.giveBack(500);
    }
    assertThat(memory.inUse()).isZero();
  }

  @Test
  void severalShareThatHalf() {
    LongRecordMemory.Room one = memory.open();
    LongRecordMemory.Room idle = memory.open();
    LongRecordMemory.Room other = memory.open();
    assertThat(one.take(300)).isTrue();
    assertThat(idle.isReserved()).isFalse();
    assertThat(other.take(201)).as("others have more than their part yet").isFalse();
    assertThat(other.take(200)).isTrue();
    assertThat(one.take(1)).as("more than its part").isFalse();
    one.giveBack(100);
    assertThat(one.take(50)).isTrue();
    assertThat(one.take(1)).isFalse();

    other.giveBack(200);
    other.close();
    assertThat(one.take(250)).as("alone again").isTrue();
  }

  @Test
  void allOfItCanBeReservedByOne() {
    LongRecordMemory.Room room = memory.open();
    assertThat(room.reserve(1_001)).isFalse();
    assertThat(room.reserve(1_000)).isTrue();
    assertThat(room.take(1_000)).isTrue();
    assertThat(room.take(1)).isFalse();
    room.giveBack(1_000);
    assertThat(memory.inUse()).as("still reserved").isEqualTo(1_000);
    room.endReservation();
    assertThat(memory.inUse()).isZero();
  }

  @Test
  void whatIsHeldCannotBeReserved() {
    LongRecordMemory.Room holding = memory.open();
    LongRecordMemory.Room room = memory.open();
    assertThat(holding.take(200)).isTrue();
    assertThat(room.reserve(801)).isFalse();
    assertThat(room.reserve(800)).isTrue();
    assertThat(holding.take(1)).as("nothing is left").isFalse();
  }

  @Test
  void oneHalfIsLeftForSingleRecordsWhateverIsShared() {
    LongRecordMemory.Room one = memory.open();
    LongRecordMemory.Room other = memory.open();
    LongRecordMemory.Room third = memory.open();
    assertThat(one.reserveShared(501)).isFalse();
    assertThat(one.reserveShared(500)).isTrue();
    assertThat(one.take(500)).isTrue();
    assertThat(other.take(1)).isFalse();
    assertThat(other.reserveShared(1)).isFalse();
    assertThat(third.reserve(500)).isTrue();
    assertThat(memory.inUse()).isEqualTo(1_000);
    one.giveBack(500);
    assertThat(memory.inUse()).as("still reserved").isEqualTo(1_000);
    one.close();
    assertThat(memory.inUse()).isEqualTo(500);
    assertThat(other.take(1)).isTrue();
  }

  @Test
  void nothingIsGivenWhileSomebodyWaitsAndWhoCameFirstIsFirst() {
    LongRecordMemory.Room holding = memory.open();
    LongRecordMemory.Room large = memory.open();
    LongRecordMemory.Room small = memory.open();
    AtomicInteger largeWoken = new AtomicInteger();
    AtomicInteger smallWoken = new AtomicInteger();
    Runnable wakeLarge = largeWoken::incrementAndGet;
    Runnable wakeSmall = smallWoken::incrementAndGet;
    assertThat(holding.take(100)).isTrue();

    large.lineUp(wakeLarge);
    small.lineUp(wakeSmall);
    assertThat(holding.take(1)).isFalse();
    assertThat(holding.reserveShared(1)).isFalse();
    assertThat(large.reserveInTurn(wakeLarge, 950)).isFalse();
    assertThat(small.reserveInTurn(wakeSmall, 50)).isFalse();
    assertThat(small.reserve(50)).isFalse();

    holding.giveBack(100);
    assertThat(largeWoken).hasPositiveValue();
    assertThat(smallWoken).hasValue(0);
    assertThat(large.reserveInTurn(wakeLarge, 950)).isTrue();
    large.leaveLine(wakeLarge);
    assertThat(smallWoken).hasPositiveValue();
    assertThat(small.reserveInTurn(wakeSmall, 50)).isTrue();
    small.leaveLine(wakeSmall);
    assertThat(memory.inUse()).isEqualTo(1_000);
  }

  @Test
  void whoIsClosedHasNothing() {
    LongRecordMemory.Room room = memory.open();
    assertThat(room.reserve(1_000)).isTrue();
    room.close();
    room.close();
    assertThat(memory.inUse()).isZero();
    assertThat(room.take(1)).isFalse();
  }

  @Test
  void whoWaitsIsToldOfTheEnd() {
    AtomicInteger woken = new AtomicInteger();
    Runnable wake = woken::incrementAndGet;
    LongRecordMemory.Room room = memory.open();
    room.lineUp(wake);
    memory.close();
    assertThat(woken).hasPositiveValue();
    assertThatThrownBy(() -> room.reserveInTurn(wake, 1))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
  }
}

package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FinalSealTest {
  private static final long AMPLE = TimeUnit.HOURS.toNanos(1);
  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(10);

  private final MemoryStore first = new MemoryStore("first", 1 << 16, Runnable::run);
  private final MemoryStore second = new MemoryStore("second", 1 << 16, Runnable::run);
  private final AtomicInteger seals = new AtomicInteger();

  private FinalSeal seal(Runnable seal) {
    return new FinalSeal(List.of(first, second), seal);
  }

  @Test
  void sealsWhatIsSynced() throws Exception {
    assertThat(seal(seals::incrementAndGet).run(AMPLE)).isTrue();
    assertThat(seals).hasValue(1);
    assertThat(first.syncs).isEqualTo(1);
    assertThat(second.syncs).isEqualTo(1);
  }

  @Test
  void doesNotSealWithoutADiskThatIsNotSyncedInTimeNorLater() throws Exception {
    CompletableFuture<Void> hanging = new CompletableFuture<>();
    first.sync = hanging;

    assertThat(seal(seals::incrementAndGet).run(SHORT)).isFalse();

    assertThat(second.syncs).as("all at once").isEqualTo(1);
    assertThat(hanging).isCancelled();
    assertThat(seals).hasValue(0);
  }

  @Test
  void waitsForNobodyOnceADiskHasFailed() throws Exception {
    first.sync = new CompletableFuture<>();
    second.sync =
        CompletableFuture.failedFuture(
            new SluiceException(ErrorCode.DISK_FAILED, "fenced by the test"));

    assertThat(seal(seals::incrementAndGet).run(AMPLE)).isFalse();

    assertThat(seals).hasValue(0);
  }

  @Test
  void aDiskThatRefusesTheSealLeavesTheLifeUnsealed() throws Exception {
    Runnable refusing =
        () -> {
          throw new SluiceException(ErrorCode.DISK_FAILED, "refused by the test");
        };

    assertThat(seal(refusing).run(AMPLE)).isFalse();
  }

  @Test
  void aSealThatDoesNotReturnIsLeftAlone() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    Runnable hanging =
        () -> {
          try {
            answer.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };

    assertThat(seal(hanging).run(TimeUnit.MILLISECONDS.toNanos(200))).isFalse();

    answer.countDown();
  }

  @Test
  void whoeverInterruptsItDoesNotWait() {
    first.sync = new CompletableFuture<>();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> seal(seals::incrementAndGet).run(AMPLE))
        .isInstanceOf(InterruptedException.class);
    assertThat(seals).hasValue(0);
  }
}

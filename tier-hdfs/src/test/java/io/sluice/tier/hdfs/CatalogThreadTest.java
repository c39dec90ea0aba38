package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CatalogThreadTest {
  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long AMPLE = TimeUnit.HOURS.toNanos(1);

  private final CountDownLatch ended = new CountDownLatch(1);
  private final CatalogThread thread = new CatalogThread(ended::countDown);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final List<String> done = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() {
    answer.countDown();
    thread.end(() -> {}, AMPLE);
  }

  private static Consumer<Throwable> hasCode(ErrorCode code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                SluiceException.class, coded -> assertThat(coded.code()).isEqualTo(code));
  }

  private String hang() throws InterruptedException {
    answer.await();
    done.add("late");
    return "late";
  }

  @Test
  void whatDoesNotEndIsGivenUpAndComesAboutBeforeWhatIsAskedForLater() {
    assertThatThrownBy(() -> thread.call(this::hang, SHORT))
        .satisfies(hasCode(ErrorCode.DISK_FAILED));
    answer.countDown();

    assertThat(thread.call(() -> done.add("next"), AMPLE)).isTrue();
    assertThat(done).containsExactly("late", "next");
  }

  @Test
  void waitsAsLongAsSomethingIsGiven() {
    AtomicLong looks = new AtomicLong();
    String found =
        thread.call(
            this::hang,
            () -> {
              if (looks.incrementAndGet() == 4) {
                answer.countDown();
              }
              return looks.get();
            },
            SHORT);
    assertThat(found).isEqualTo("late");
  }

  @Test
  void passesOnWhyATaskFailed() {
    assertThatThrownBy(
            () ->
                thread.call(
                    () -> {
                      throw new SluiceException(ErrorCode.CORRUPT_CATALOG, "damaged");
                    },
                    AMPLE))
        .satisfies(hasCode(ErrorCode.CORRUPT_CATALOG));
    assertThatThrownBy(
            () ->
                thread.call(
                    () -> {
                      throw new IllegalStateException("a bug");
                    },
                    AMPLE))
        .satisfies(hasCode(ErrorCode.DISK_FAILED))
        .hasRootCauseMessage("a bug");
  }

  @Test
  void takesNoMoreThanWaitsForADiskThatHangs() {
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> thread.call(this::hang, 1))
          .satisfies(hasCode(ErrorCode.DISK_FAILED));
    }
    answer.countDown();
    end();
    assertThat(done).hasSizeLessThan(20);
  }

  @Test
  void hasEndedWhenWhatHungHasCome() throws InterruptedException {
    assertThatThrownBy(() -> thread.call(this::hang, SHORT))
        .satisfies(hasCode(ErrorCode.DISK_FAILED));
    thread.end(() -> done.add("last"), SHORT);
    assertThat(ended.getCount()).as("it hangs").isEqualTo(1);

    answer.countDown();

    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(done).containsExactly("late", "last");
  }
}

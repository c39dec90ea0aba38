package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client that hangs or fails costs. */
class HdfsCallsTest {
  private final CountDownLatch released = new CountDownLatch(1);
  private final HdfsCalls calls =
      new HdfsCalls(
          HdfsUser.login(new Configuration(), Optional.empty(), Optional.empty()),
          2,
          TimeUnit.MILLISECONDS.toNanos(200));

  @AfterEach
  void release() {
    released.countDown();
    calls.close();
  }

  /** Ignores being interrupted, as parts of the Hadoop client do. */
  private boolean hang() {
    while (true) {
      try {
        released.await();
        return true;
      } catch (InterruptedException deaf) {
        // Goes on hanging.
      }
    }
  }

  @Test
  void givesUpACallAtItsDeadlineAndNamesIt() {
    assertThatThrownBy(() -> calls.call("read /x", this::hang))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("read /x")
        .hasMessageContaining("200 ms");
  }

  @Test
  void failsAtOnceWhenAllThreadsHangAndWorksWhenTheyAreFree() throws IOException {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> calls.call("hang", this::hang)).isInstanceOf(IOException.class);
    }

    assertThatThrownBy(() -> calls.call("read /x", () -> 1)).hasMessageContaining("calls hang");
    assertThat(calls.offer(() -> {})).isFalse();
  }

  @Test
  void closesWhatIsOpenedForNobodyAnyMore() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Closeable late = closed::countDown;

    assertThatThrownBy(
            () ->
                calls.open(
                    "connect",
                    () -> {
                      hang();
                      return late;
                    }))
        .hasMessageContaining("connect");
    assertThat(closed.getCount()).as("closed before it was there").isEqualTo(1);
    released.countDown();

    assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void leavesOpenWhatIsOpenedInTime() throws IOException {
    CountDownLatch closed = new CountDownLatch(1);
    Closeable opened = closed::countDown;

    assertThat(calls.open("connect", () -> opened)).isSameAs(opened);
    assertThatThrownBy(
            () ->
                calls.<Closeable>open(
                    "connect",
                    () -> {
                      throw new FileNotFoundException("/x");
                    }))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(closed.getCount()).isEqualTo(1);
  }

  @Test
  void keepsTheKindOfAFailure() {
    assertThatThrownBy(
            () ->
                calls.call(
                    "open /x",
                    () -> {
                      throw new FileNotFoundException("/x");
                    }))
        .isInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(
            () ->
                calls.call(
                    "open /x",
                    () -> {
                      throw new IllegalStateException("closed under way");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("open /x");
  }

  @Test
  void makesNoCallAfterClose() {
    calls.close();

    assertThatThrownBy(() -> calls.call("open /x", () -> 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }
}

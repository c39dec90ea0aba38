package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EventLoopsTest {
  private static final Path FILES = Path.of("/proc/self/fd");

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatCannotBeOpenedWhollyLeavesNothingOpen(boolean epoll) throws IOException {
    assumeTrue(Files.isDirectory(FILES) && (Epoll.isAvailable() || !epoll), "needs Linux");
    Narrow memory = new Narrow(2);
    long before = selectors();

    assertThatThrownBy(() -> EventLoops.open("narrow", 3, memory, Clock.system(), epoll))
        .isInstanceOf(OutOfMemoryError.class);

    assertThat(memory.given).hasSize(2).allMatch(buffer -> buffer.refCnt() == 0);
    assertThat(selectors()).isEqualTo(before);
  }

  /**
   * What starts a loop in an engine's process is the thread of some job, and the loop outlives it.
   */
  @Test
  void threadsAreNettysAndInheritNothing() throws Exception {
    InheritableThreadLocal<String> session = new InheritableThreadLocal<>();
    session.set("a job's");
    try (EventLoops loops =
        EventLoops.open("clean", 1, PooledByteBufAllocator.DEFAULT, Clock.system())) {
      CompletableFuture<String> inherited = new CompletableFuture<>();
      CompletableFuture<Thread> thread = new CompletableFuture<>();
      loops
          .next()
          .execute(
              () -> {
                inherited.complete(String.valueOf(session.get()));
                thread.complete(Thread.currentThread());
              });

      assertThat(inherited.get(20, TimeUnit.SECONDS)).isEqualTo("null");
      assertThat(thread.get(20, TimeUnit.SECONDS))
          .isInstanceOf(FastThreadLocalThread.class)
          .matches(Thread::isDaemon)
          .matches(one -> one.getName().startsWith("clean-"));
    } finally {
      session.remove();
    }
  }

  /** Each event loop has one. */
  private static long selectors() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      return files.filter(EventLoopsTest::isSelector).count();
    }
  }

  private static boolean isSelector(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().contains("eventpoll");
    } catch (IOException closed) {
      return false;
    }
  }

  /** Memory for so many buffers. */
  private static final class Narrow extends PooledByteBufAllocator {
    private final int most;
    private final List<ByteBuf> given = new ArrayList<>();

    Narrow(int most) {
      super(true);
      this.most = most;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (given.size() == most) {
        throw new OutOfMemoryError("no more direct memory, says the test");
      }
      ByteBuf buffer = super.newDirectBuffer(initialCapacity, maxCapacity);
      given.add(buffer);
      return buffer;
    }
  }
}

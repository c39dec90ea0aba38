package io.sluice.common.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads that a job's thread starts, which has a session and a class loader. */
class OwnThreadsTest {
  private final InheritableThreadLocal<String> session = new InheritableThreadLocal<>();
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @BeforeEach
  void beAJob() {
    session.set("a job's");
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], before));
  }

  @AfterEach
  void beNone() {
    session.remove();
    Thread.currentThread().setContextClassLoader(before);
  }

  /** What the thread that this runs on has of the job. */
  private String seen() {
    ClassLoader own = OwnThreads.class.getClassLoader();
    return session.get()
        + (Thread.currentThread().getContextClassLoader() == own ? ", own" : ", a job's");
  }

  @Test
  void daemonsInheritNothing() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    Thread thread = OwnThreads.daemon("one", () -> seen.complete(seen()));
    thread.start();

    assertThat(seen.get(20, TimeUnit.SECONDS)).isEqualTo("null, own");
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).isEqualTo("one");
  }

  @Test
  void othersAreMadeWhereThereIsNothingToInherit() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    OwnThreads.madeByOne(() -> new Thread(() -> seen.complete(seen()))).start();

    assertThat(seen.get(20, TimeUnit.SECONDS)).isEqualTo("null, own");
  }

  @Test
  void anInterruptIsKeptAndLosesNoThread() {
    Thread.currentThread().interrupt();

    Thread made = OwnThreads.madeByOne(() -> new Thread("one"));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(made.getName()).isEqualTo("one");
  }

  @Test
  void aSchedulersThreadInheritsNothingFromWhoeverHasItsFirstTask() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    try (ThreadScheduler scheduler =
        new ThreadScheduler("one", Clock.system(), (thread, failure) -> {})) {
      scheduler.execute(() -> seen.complete(seen()));

      assertThat(seen.get(20, TimeUnit.SECONDS)).isEqualTo("null, own");
    }
  }
}

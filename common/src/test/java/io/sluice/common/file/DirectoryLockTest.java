package io.sluice.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other processes find locked, whatever this one tries besides. */
class DirectoryLockTest {
  private static final int THREADS = 8;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path root;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createDirectory(root.resolve("a"));
  }

  private static DirectoryLock acquire(Path directory) throws IOException {
    return DirectoryLock.acquire(directory, "directory " + directory);
  }

  private void refusedAsItself(Path other) {
    assertThatThrownBy(() -> acquire(other))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("directory " + other + " is in use by this process, as " + directory);
  }

  @Test
  void aSecondLookUnderAnotherNameLeavesTheLock() throws Exception {
    Path link = Files.createSymbolicLink(root.resolve("b"), directory);
    try (DirectoryLock lock = acquire(directory)) {
      refusedAsItself(link);
      refusedAsItself(directory);

      assertThat(OtherProcess.locks(directory)).as("another process has %s", lock).isFalse();
    }
    acquire(link).close();
    assertThat(OtherProcess.locks(directory)).isTrue();
  }

  @Test
  void aCopyByHardLinksLeavesTheLockOfItsOriginal() throws Exception {
    Path copy = Files.createDirectory(root.resolve("copy"));
    try (DirectoryLock lock = acquire(directory)) {
      Files.createLink(copy.resolve("lock"), directory.resolve("lock"));
      refusedAsItself(copy);

      assertThat(OtherProcess.locks(directory)).as("another process has %s", lock).isFalse();
    }
  }

  @Test
  void aTryThatFailsLeavesTheDirectoryToTheNext() throws IOException {
    Path inTheWay = Files.createDirectory(directory.resolve("lock"));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> acquire(directory)).isInstanceOf(IOException.class);
    }
    Files.delete(inTheWay);

    acquire(directory).close();
  }

  @Test
  void aLockThatIsForgottenStays() throws Exception {
    ReferenceQueue<DirectoryLock> collected = new ReferenceQueue<>();
    var forgotten = new WeakReference<>(acquire(directory), collected);
    System.gc();
    assertThat(collected.remove(TimeUnit.MINUTES.toMillis(1))).isSameAs(forgotten);

    assertThat(OtherProcess.locks(directory)).as("another process has it").isFalse();
    refusedAsItself(directory);
  }

  @Test
  void ofManyThreadsOneHasTheDirectoryUntilItLetsGo() throws Exception {
    CyclicBarrier together = new CyclicBarrier(THREADS);
    List<Callable<Boolean>> tries = new ArrayList<>();
    List<DirectoryLock> held = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Path name = Files.createSymbolicLink(root.resolve("name" + i), directory);
      tries.add(
          () -> {
            together.await();
            return tryAcquire(name, held);
          });
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      assertThat(threads.invokeAll(tries).stream().filter(DirectoryLockTest::hasIt)).hasSize(1);
      assertThat(OtherProcess.locks(directory)).as("another process has it").isFalse();
    } finally {
      threads.shutdown();
      held.forEach(DirectoryLock::close);
    }
  }

  private static boolean tryAcquire(Path name, List<DirectoryLock> held) throws IOException {
    try {
      DirectoryLock lock = acquire(name);
      synchronized (held) {
        held.add(lock);
      }
      return true;
    } catch (SluiceException e) {
      return false;
    }
  }

  private static boolean hasIt(Future<Boolean> tried) {
    try {
      return tried.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }
}

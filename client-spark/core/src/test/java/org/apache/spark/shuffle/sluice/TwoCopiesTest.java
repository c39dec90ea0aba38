package org.apache.spark.shuffle.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.sluice.handle.HandleOrigin;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handles that come from another class loader than the manager, as with userClassPathFirst. */
class TwoCopiesTest {
  private static final String HANDLE = SluiceShuffleHandle.class.getName();

  private final TaskContextImpl task = TaskContext$.MODULE$.empty();
  private final SluiceShuffleManager manager =
      new SluiceShuffleManager(
          new SparkConf(false).set("spark.sluice.coordinator.quorum", "localhost:1"), false);

  @AfterEach
  void stop() {
    manager.stop();
  }

  @Test
  void writersAndReadersAreRefusedInsteadOfSparksOwn() throws Exception {
    ShuffleHandle handle = ofAnotherCopy();

    assertRefused(
        () -> manager.getWriter(handle, 1, task, task.taskMetrics().shuffleWriteMetrics()));
    assertRefused(() -> manager.getReader(handle, 0, 1, 0, 1, task, new TempShuffleReadMetrics()));
  }

  @Test
  void onlyOnesOwnHandlesAreOurs() throws Exception {
    assertThat(HandleOrigin.isOurs(handle(SluiceShuffleHandle.class))).isTrue();
    assertThat(HandleOrigin.isOurs(new BaseShuffleHandle<>(7, null))).isFalse();
  }

  private static void assertRefused(ThrowingCallable opening) {
    assertThatThrownBy(opening)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("manager is of " + SluiceShuffleHandle.class.getClassLoader())
        .hasMessageContaining("task of a loader that looks at itself first")
        .hasMessageContaining("shuffle 7")
        .hasMessageContaining("spark.executor.userClassPathFirst")
        .hasMessageContaining("spark.executor.extraClassPath")
        .hasMessageContaining("spark.jars");
  }

  private static ShuffleHandle ofAnotherCopy() throws Exception {
    Class<?> copy = new ChildFirst().loadClass(HANDLE);
    assertThat(copy).isNotSameAs(SluiceShuffleHandle.class);
    return handle(copy);
  }

  private static ShuffleHandle handle(Class<?> type) throws Exception {
    return (ShuffleHandle)
        type.getConstructor(
                int.class,
                ShuffleDependency.class,
                FixedPlacement.class,
                String.class,
                IntFunction.class)
            .newInstance(7, null, null, "lz4", null);
  }

  /** Has a handle's class of its own, and everything else from its parent. */
  private static final class ChildFirst extends ClassLoader {
    ChildFirst() {
      super(SluiceShuffleHandle.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.equals(HANDLE) ? copy() : super.loadClass(name, resolve);
    }

    private Class<?> copy() throws ClassNotFoundException {
      try (InputStream file = getResourceAsStream(HANDLE.replace('.', '/') + ".class")) {
        byte[] bytes = Objects.requireNonNull(file).readAllBytes();
        return defineClass(HANDLE, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(HANDLE, e);
      }
    }

    @Override
    public String toString() {
      return "a loader that looks at itself first";
    }
  }
}

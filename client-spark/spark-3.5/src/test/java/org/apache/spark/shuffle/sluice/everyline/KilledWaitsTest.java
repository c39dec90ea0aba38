package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.TaskSignal;
import java.util.stream.Stream;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.package$;
import org.apache.spark.shuffle.sluice.line.TaskKills;
import org.apache.spark.shuffle.sluice.store.KillableSignals;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a wait does when its task is killed without an interrupt; {@link KilledTasksTest} waits. */
class KilledWaitsTest {
  private final TaskContextImpl task = TaskContext$.MODULE$.empty();
  private final Noted noted = new Noted();

  /** Waits for nothing, and counts. */
  private static final class Noted implements TaskSignal {
    Runnable meanwhile = () -> {};
    int waits;
    int signals;

    @Override
    public void await() {
      waits++;
      meanwhile.run();
    }

    @Override
    public void signal() {
      signals++;
    }
  }

  @BeforeEach
  void beginTask() {
    TaskContext$.MODULE$.setTaskContext(task);
  }

  @AfterEach
  void endTask() {
    TaskContext$.MODULE$.unset();
  }

  @Test
  void oneThatLivesWaitsAsLongAsItHasTo() throws InterruptedException {
    signal().await();
    assertThat(noted.waits).isEqualTo(1);
  }

  @Test
  void oneThatWasKilledDoesNotBeginToWait() {
    TaskSignal signal = signal();
    task.markInterrupted("on purpose");

    assertThatThrownBy(signal::await).isInstanceOf(TaskKilledException.class);
    assertThat(noted.waits).isZero();
  }

  @Test
  void whateverWakesOneEndsIt() {
    TaskSignal signal = signal();
    noted.meanwhile = () -> task.markInterrupted("on purpose");

    assertThatThrownBy(signal::await).isInstanceOf(TaskKilledException.class);
  }

  @Test
  void theKillWakesItWhereSparkTells() {
    String version = package$.MODULE$.SPARK_VERSION();
    assertThat(TaskKills.areTold())
        .isEqualTo(Stream.of("3.", "4.0.", "4.1.").noneMatch(version::startsWith));
    signal();
    task.markInterrupted("on purpose");

    assertThat(noted.signals > 0).isEqualTo(TaskKills.areTold());
  }

  @Test
  void whoIsInNoTaskWaitsAsBefore() {
    TaskContext$.MODULE$.unset();

    assertThat(signal()).isSameAs(noted);
  }

  private TaskSignal signal() {
    return new KillableSignals(() -> noted).create();
  }
}

package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.ClientSecurity;
import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ReaderMemory;
import io.sluice.client.TaskSignal;
import io.sluice.client.placement.Placements;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.package$;
import org.apache.spark.shuffle.sluice.line.TaskKills;
import org.apache.spark.shuffle.sluice.store.KillableSignals;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.shuffle.sluice.store.ServerStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks that are killed without an interrupt while they wait for servers. */
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

  @Test
  void aReaderOfAServerThatNeverAnswersIsEnded() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket silent = new ServerSocket(0, 1, here);
        ServerStore store =
            ServerStore.open(ClientConfig.defaults(), Placements.fixed(), ClientSecurity.off())) {
      PlacedServer server =
          new PlacedServer(ServerId.of(1, 1), 1, here.getHostAddress(), silent.getLocalPort());
      FixedPlacement placement =
          FixedPlacement.of(
              new ShuffleKey(ApplicationId.of(1, 2), 0, 0), 1, List.of(server), 1, new int[1]);
      ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
      expected.nonEmpty(expected.add(0, 0), 0);
      ReadRange range = new ReadRange(0, 1, 0, Integer.MAX_VALUE);
      try (BlockReader reader =
          store.read(placement, range, expected.build(), ReaderMemory.UNCOUNTED)) {
        task.markInterrupted("on purpose");
        assertThatThrownBy(reader::next).isInstanceOf(TaskKilledException.class);
      }
    }
  }
}

package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StopSignalTest {
  private final List<Integer> halts = new CopyOnWriteArrayList<>();
  private final StopSignal stop = new StopSignal(halts::add);

  @Test
  void leavesTheSignalsStatusToAStopThatWentWell() throws Exception {
    CompletableFuture<Void> hook = CompletableFuture.runAsync(stop::stopAndWait);
    stop.await();

    assertThat(hook).as("before the command has returned").isNotDone();
    stop.ended(ExitCode.OK);

    hook.get(60, TimeUnit.SECONDS);
    assertThat(halts).isEmpty();
  }

  @Test
  void haltsWithTheCodeOfAStopThatLostSomething() throws Exception {
    CompletableFuture<Void> hook = CompletableFuture.runAsync(stop::stopAndWait);
    stop.await();

    assertThat(stop.ended(ExitCode.IO_ERROR)).isEqualTo(ExitCode.IO_ERROR);

    hook.get(60, TimeUnit.SECONDS);
    assertThat(halts).containsExactly(ExitCode.IO_ERROR);
  }
}

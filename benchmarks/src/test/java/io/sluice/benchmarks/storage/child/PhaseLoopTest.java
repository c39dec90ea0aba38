package io.sluice.benchmarks.storage.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.disk.AccessCounts;
import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Phases of four accesses of ten bytes each. */
@Timeout(60)
class PhaseLoopTest {
  private static final int UNITS = 4;
  private static final int UNIT = 10;

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final DiskTurn turn;
  private final PhaseLoop loop;

  PhaseLoopTest(@TempDir Path directory) {
    turn = new DiskTurn(Clock.system(), DiskLoad.of(directory));
    loop = new PhaseLoop(this::run, () -> done.add("discard"), turn);
  }

  private PhaseFigures run(Phase phase) throws IOException {
    if (phase == Phase.mixed) {
      throw new IOException("no disk");
    }
    for (int i = 0; i < UNITS; i++) {
      turn.access(UNIT, () -> UNIT);
    }
    done.add(phase.name());
    return new PhaseFigures(UNITS * UNIT, 1, 1, 0, 0, 0, 0, AccessCounts.NONE);
  }

  @Test
  void aPhaseRunsWholeOrInTurns() throws Exception {
    String whole = loop.answer("read");

    assertThat(loop.answer("turn", "read", "20")).isEmpty();
    assertThat(done).containsExactly("read");
    assertThat(loop.answer("turn", "read", "10")).isEmpty();
    assertThat(loop.answer("turn", "read", Long.toString(Long.MAX_VALUE))).isEqualTo(whole);
    assertThat(done).containsExactly("read", "read");
    assertThat(loop.answer("read")).isEqualTo(whole);
    assertThat(loop.answer("turn", "write", "10")).isEmpty();
    assertThat(loop.answer("turn", "write", "1000")).isEqualTo(whole);
    loop.answer("discard");
    assertThat(done).containsExactly("read", "read", "read", "write", "discard");
  }

  @Test
  void nothingComesBetweenTurns() throws Exception {
    assertThat(loop.answer("turn", "read", "10")).isEmpty();

    assertThatThrownBy(() -> loop.answer("discard")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> loop.answer("read")).isInstanceOf(IllegalStateException.class);

    assertThat(loop.answer("turn", "read", "1000")).isNotEmpty();
    assertThat(done).containsExactly("read");
  }

  @Test
  void aPhaseThatFailsSaysWhy() throws Exception {
    assertThatThrownBy(() -> loop.answer("turn", "mixed", "10"))
        .isInstanceOf(IOException.class)
        .hasMessage("no disk");
    assertThat(loop.answer("turn", "read", "1000")).isNotEmpty();
  }
}

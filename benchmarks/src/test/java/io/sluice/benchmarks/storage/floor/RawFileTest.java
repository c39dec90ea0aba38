package io.sluice.benchmarks.storage.floor;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.common.time.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each unit begins with where it lies, and a read checks that: so one that is skipped shows. */
class RawFileTest {
  private static final int UNIT = 8192;
  private static final int FILES = 2;
  private static final int UNITS_OF_FILE = 7;
  private static final int UNITS = FILES * UNITS_OF_FILE;

  private final RawBuffers buffers = new RawBuffers(FILES + 1, UNIT);
  private final DiskTurn turn;
  private final RawFile file;

  RawFileTest(@TempDir Path directory) {
    turn = new DiskTurn(Clock.system(), DiskLoad.of(directory));
    file = new RawFile(directory.resolve("raw"), UNITS * UNIT, UNIT, false, FILES);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 2 * UNITS})
  void readsWhatItWroteWithAnyNumberUnderWay(int underWay) throws Exception {
    file.write(buffers, turn);
    for (int size : new int[] {UNIT, UNIT / 2}) {
      RawBuffers into = new RawBuffers(underWay + 1, size);
      assertThatCode(() -> file.read(underWay, into, turn)).doesNotThrowAnyException();
    }
  }

  @Test
  void readsAreWholePartsOfUnits() {
    assertThatThrownBy(() -> file.read(1, new RawBuffers(1, 2 * UNIT), turn))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void everyUnitIsLookedAt(int underWay) throws Exception {
    file.write(buffers, turn);
    for (int unit = 0; unit < UNITS; unit++) {
      overwrite(unit, -1);
      assertThatThrownBy(() -> file.read(underWay, new RawBuffers(underWay, UNIT / 2), turn))
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining("holds something else");
      overwrite(unit, (long) unit * UNIT);
    }
  }

  @Test
  void unitsAreDividedEvenly() {
    assertThatThrownBy(() -> new RawFile(file.path(), (UNITS + 1) * UNIT, UNIT, false, FILES))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFileThatIsTooShortIsNoFloor() throws Exception {
    file.write(buffers, turn);
    RawFile longer = new RawFile(file.path(), (UNITS + FILES) * UNIT, UNIT, false, FILES);
    assertThatThrownBy(() -> longer.read(1, buffers, turn)).isInstanceOf(EOFException.class);
  }

  private void overwrite(int unit, long with) throws IOException {
    Path path = file.path().resolveSibling("raw-" + unit / UNITS_OF_FILE);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(8).putLong(0, with), (long) (unit % UNITS_OF_FILE) * UNIT);
    }
  }
}

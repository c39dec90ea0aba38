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

/** Each piece begins with where it lies, and a read checks that: so one that is skipped shows. */
class RawFileTest {
  private static final int UNIT = 8192;
  private static final int PIECE = UNIT / 2;
  private static final int FILES = 2;
  private static final int UNITS_OF_FILE = 7;
  private static final int UNITS = FILES * UNITS_OF_FILE;

  private final RawBuffers buffers = new RawBuffers(new Accesses(FILES, UNIT, FILES + 1));
  private final DiskTurn turn;
  private final RawFile file;

  RawFileTest(@TempDir Path directory) {
    turn = new DiskTurn(Clock.system(), DiskLoad.of(directory));
    file = new RawFile(directory.resolve("raw"), shape(UNITS, PIECE));
  }

  private static RawFile.Shape shape(int units, int piece) {
    return new RawFile.Shape((long) units * UNIT, false, FILES, UNIT, piece);
  }

  private void read(RawFile of, int underWay) throws IOException, InterruptedException {
    of.read(underWay, new RawBuffers(new Accesses(underWay, PIECE, underWay + 1)), turn);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 2 * UNITS})
  void readsWhatItWroteWithAnyNumberUnderWay(int underWay) throws Exception {
    file.write(buffers, turn);
    assertThatCode(() -> read(file, underWay)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void everyPieceIsLookedAt(int underWay) throws Exception {
    file.write(buffers, turn);
    for (int piece = 0; piece < UNITS * UNIT / PIECE; piece++) {
      overwrite(piece, -1);
      assertThatThrownBy(() -> read(file, underWay))
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining("holds something else");
      overwrite(piece, (long) piece * PIECE);
    }
  }

  @Test
  void filesAndUnitsAreDividedEvenly() {
    assertThatThrownBy(() -> shape(UNITS + 1, PIECE)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shape(UNITS, 2 * UNIT)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFileThatIsTooShortIsNoFloor() throws Exception {
    file.write(buffers, turn);
    RawFile longer = new RawFile(file.path(), shape(UNITS + FILES, PIECE));
    assertThatThrownBy(() -> read(longer, 1)).isInstanceOf(EOFException.class);
  }

  private void overwrite(int piece, long with) throws IOException {
    int inFile = UNITS_OF_FILE * UNIT / PIECE;
    Path path = file.path().resolveSibling("raw-" + piece / inFile);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(8).putLong(0, with), (long) (piece % inFile) * PIECE);
    }
  }
}

package io.sluice.benchmarks.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskLoadTest {
  @Test
  void isTheEleventhFieldInMilliseconds(@TempDir Path directory) throws IOException {
    Path statistics = directory.resolve("stat");
    Files.writeString(
        statistics,
        "  3833350   291578 4975946690 15162930  3799327 1537859 7786883808 1 0 5329708 29053160 2\n");
    assertThat(new DiskLoad(statistics).seconds()).isEqualTo(29053.160);
  }

  @Test
  void aCountThatBeganAnewIsNoMatter() {
    assertThat(DiskLoad.between(10, 12.5)).isEqualTo(2.5);
    assertThat(DiskLoad.between(4_294_967, 1)).isEqualTo(1.296, within(1e-6));
    assertThat(DiskLoad.between(Double.NaN, Double.NaN)).isNaN();
  }

  @Test
  void isNoNumberWhereTheKernelHasNone() {
    assertThat(new DiskLoad(null).seconds()).isNaN();
  }

  @Test
  void findsWhatLiesUnderADirectoryIfAnythingDoes(@TempDir Path directory) {
    double seconds = DiskLoad.of(directory).seconds();
    assertThat(Double.isNaN(seconds) || seconds >= 0).isTrue();
  }

  /** As {@code os.makedev} packs them. */
  @ParameterizedTest
  @CsvSource({
    "65024, 254:0",
    "2049, 8:1",
    "66307, 259:3",
    "4293985279, 259:1048575",
    "4486007442374655, 1048575:255"
  })
  void unpacksNumbersOfDevices(long packed, String name) {
    assertThat(DiskLoad.name(packed)).isEqualTo(name);
  }
}

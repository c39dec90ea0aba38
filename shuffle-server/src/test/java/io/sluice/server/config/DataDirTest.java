package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.disk.DiskClass;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataDirTest {
  @Test
  void isAnSsdUnlessItSaysOtherwise() {
    assertThat(DataDir.parse("/a")).isEqualTo(new DataDir(DiskClass.SSD, Path.of("/a")));
    assertThat(DataDir.parse("hdd:/a")).isEqualTo(new DataDir(DiskClass.HDD, Path.of("/a")));
    assertThat(DataDir.parse("ssd:a:b")).isEqualTo(new DataDir(DiskClass.SSD, Path.of("a:b")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HDD:/a", "nvme:/a", "Ssd:/a", "ssd:", ""})
  void anyOtherKindIsAMistake(String text) {
    assertThatThrownBy(() -> DataDir.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}

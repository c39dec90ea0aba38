package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HadoopConfigurationTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path folder;

  @Test
  void aFileThatIsNoXmlIsNamed() throws IOException {
    Path file = folder.resolve("core-site.xml");
    Files.writeString(file, "<configuration><property><name>a</name>");

    for (Path source : List.of(file, folder)) {
      assertThatThrownBy(() -> HadoopConfiguration.read(List.of(source)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void laterFilesWin() throws IOException {
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      Files.writeString(
          folder.resolve(name),
          "<configuration><property><name>a</name><value>"
              + name
              + "</value></property></configuration>");
    }

    assertThat(HadoopConfiguration.read(List.of(folder)).get("a")).isEqualTo("hdfs-site.xml");
  }
}

package io.sluice.common.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallFileTest {
  private static String reason(Path file) {
    return IoReason.of(catchThrowableOfType(IOException.class, () -> SmallFile.text(file)));
  }

  @Test
  void readsTextAlsoThroughALink(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "gr\u00fc\u00dfe\n");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);

    assertThat(SmallFile.text(link)).isEqualTo("gr\u00fc\u00dfe\n");
    assertThat(SmallFile.text(Files.createFile(directory.resolve("empty")))).isEmpty();
  }

  @Test
  void saysInWordsWhatCannotBeRead(@TempDir Path directory) throws IOException {
    Path large = directory.resolve("large");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength(SmallFile.MAX_BYTES + 1);
    }
    Path latin = directory.resolve("latin");
    Files.write(latin, "a\nb\ngr\u00fc\u00dfe".getBytes(ISO_8859_1));
    Path gone = directory.resolve("gone");

    assertThat(reason(gone)).isEqualTo(gone + ": there is no such file or directory");
    assertThat(reason(directory)).isEqualTo(directory + ": a directory");
    assertThat(reason(Path.of("/dev/zero"))).startsWith("/dev/zero: not a regular file");
    assertThat(reason(large))
        .isEqualTo(large + ": larger than 1 MiB, so it cannot be what is meant");
    assertThat(reason(latin)).isEqualTo(latin + ": not UTF-8, see line 3");
  }
}

package io.sluice.server.disk;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Finds out whether a file system takes O_DIRECT, by writing one aligned block: some refuse at
 * open, some only at the write.
 */
final class DirectWriteProbe {
  static final OpenOption DIRECT = ExtendedOpenOption.DIRECT;

  private DirectWriteProbe() {}

  /**
   * @throws IOException if the directory cannot be written at all
   */
  static boolean accepts(Path directory) throws IOException {
    Path probe = directory.resolve("probe.tmp");
    try {
      write(probe);
      return writes(probe, DIRECT);
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private static boolean writes(Path probe, OpenOption option) {
    try {
      write(probe, option);
      return true;
    } catch (IOException | UnsupportedOperationException refused) {
      return false;
    }
  }

  private static void write(Path probe, OpenOption... extra) throws IOException {
    OpenOption[] options = new OpenOption[extra.length + 2];
    options[0] = StandardOpenOption.CREATE;
    options[1] = StandardOpenOption.WRITE;
    System.arraycopy(extra, 0, options, 2, extra.length);
    try (FileChannel channel = FileChannel.open(probe, options)) {
      ByteBuffer block = AlignedBuffers.allocate(Disk.ALIGNMENT);
      while (block.hasRemaining()) {
        channel.write(block, block.position());
      }
    }
  }
}

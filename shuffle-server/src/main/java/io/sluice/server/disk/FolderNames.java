package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names in a folder, which power loss may take, or bring back, although what they name was
 * synced. Blocks.
 */
final class FolderNames {
  private static final Logger log = LoggerFactory.getLogger(FolderNames.class);

  private FolderNames() {}

  /** Makes the names that are in a folder survive power loss, and no others. */
  static void force(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Makes a folder and those above it that are not there, whose names survive power loss then. Not
   * where it lies in one that this process may write and not read: such a one cannot be synced.
   */
  static void makeFolder(Path folder) throws IOException {
    Deque<Path> grown = new ArrayDeque<>();
    Path above = folder.toAbsolutePath().getParent();
    while (above != null && Files.notExists(above)) {
      grown.push(above);
      above = above.getParent();
    }
    if (above != null) {
      grown.push(above);
    }
    Files.createDirectories(folder);
    for (Path each : grown) {
      tryForce(each);
    }
  }

  private static void tryForce(Path folder) {
    try {
      force(folder);
    } catch (IOException e) {
      log.warn("{} cannot be synced: power loss may take what was just made in it", folder, e);
    }
  }
}

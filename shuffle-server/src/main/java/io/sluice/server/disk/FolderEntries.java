package io.sluice.server.disk;

import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What an open folder has in it. An iterator can say that the disk does not give the next name by
 * an unchecked exception only, which nobody expects of a disk: here it is an {@link IOException}, and
 * never one that says that there is no folder.
 */
final class FolderEntries {
  private FolderEntries() {}

  /** The regular files. */
  static List<Disk.FileEntry> files(DirectoryStream<Path> folder) throws IOException {
    List<Disk.FileEntry> files = new ArrayList<>();
    try {
      for (Path entry : folder) {
        if (Files.isRegularFile(entry)) {
          files.add(new Disk.FileEntry(entry.getFileName().toString(), Files.size(entry)));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw unread(e);
    }
    return files;
  }

  /** Whether there is any. */
  static boolean any(DirectoryStream<Path> folder) throws IOException {
    try {
      return folder.iterator().hasNext();
    } catch (DirectoryIteratorException e) {
      throw unread(e);
    }
  }

  private static IOException unread(DirectoryIteratorException e) {
    IOException cause = Objects.requireNonNull(e.getCause());
    return new IOException("a folder cannot be read to its end: " + IoReason.of(cause), cause);
  }
}

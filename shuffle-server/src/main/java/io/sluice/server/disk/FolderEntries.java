package io.sluice.server.disk;

import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an open folder has in it. An iterator can say that the disk does not give the next name by
 * an unchecked exception only, which nobody expects of a disk: here it is an {@link IOException},
 * and never one that says that there is no folder.
 */
final class FolderEntries {
  private static final Logger log = LoggerFactory.getLogger(FolderEntries.class);

  private FolderEntries() {}

  /** The regular files, and what cannot be looked at. What goes meanwhile may be missing. */
  static List<Disk.FileEntry> files(DirectoryStream<Path> folder) throws IOException {
    List<Disk.FileEntry> files = new ArrayList<>();
    try {
      for (Path entry : folder) {
        add(entry, files);
      }
    } catch (DirectoryIteratorException e) {
      throw unread(e);
    }
    return files;
  }

  /** One that the disk says nothing of must not count as one that is not there. */
  private static void add(Path entry, List<Disk.FileEntry> files) {
    String name = entry.getFileName().toString();
    try {
      BasicFileAttributes attributes = Files.readAttributes(entry, BasicFileAttributes.class);
      if (attributes.isRegularFile()) {
        files.add(new Disk.FileEntry(name, attributes.size()));
      }
    } catch (NoSuchFileException gone) {
      log.debug("{} went while its folder was listed", entry);
    } catch (IOException e) {
      log.warn("{} cannot be looked at: {}", entry, IoReason.of(e));
      files.add(new Disk.FileEntry(name, Disk.FileEntry.UNKNOWN));
    }
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

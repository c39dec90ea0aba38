package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;

/** Folders of servers on a real HDFS, over one connection for the tests of a class. */
abstract class HdfsFolders implements BeforeAllCallback, AfterAllCallback {
  /** One that no other test has. */
  abstract Path newFolder();

  abstract Disk open(Path folder) throws IOException;

  /** HDFS as somebody sees it who may read everything. */
  abstract FileSystem everything() throws IOException;

  Disk disk(Path folder) {
    try {
      return open(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Looks past the disk, which would take leases when it is opened, and is closed in the end. */
  List<String> segmentFiles(Path folder) {
    try {
      return Stream.of(everything().listStatus(new Path(folder, "segments")))
          .map(file -> file.getPath().getName())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

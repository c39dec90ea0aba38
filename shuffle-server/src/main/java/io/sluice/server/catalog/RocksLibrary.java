package io.sluice.server.catalog;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * RocksDB's native library, which it carries in its jar. By itself it unpacks it to a file that it
 * deletes when the process ends in order, and leaves behind, some 15 MB, with every kill. Here the
 * file goes as soon as it is mapped, which is all that is needed of it.
 */
final class RocksLibrary {
  private RocksLibrary() {}

  /**
   * Loads it, unless that has been done. Any thread.
   *
   * @throws SluiceException DISK_FAILED if the folder for temporary files does not take it
   */
  static void load() {
    try {
      Path folder = Files.createTempDirectory("sluice-rocksdb");
      try {
        // Does nothing from the second time on.
        NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED,
          "RocksDB's library cannot be unpacked in " + System.getProperty("java.io.tmpdir"),
          e);
    }
    RocksDB.loadLibrary();
  }

  private static void delete(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}

package io.sluice.server.disk;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The exclusive lock on a data directory; the operating system frees it when the process dies. */
final class DirectoryLock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DirectoryLock.class);

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * @throws SluiceException INVALID_CONFIGURATION if someone else has it, DISK_FAILED if it cannot
   *     be written
   */
  static DirectoryLock acquire(Path directory) {
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED,
          "cannot write to data directory " + directory + ": " + IoReason.of(e),
          e);
    }
    DirectoryLock lock = new DirectoryLock(channel);
    try {
      if (tryLock(channel) != null) {
        return lock;
      }
    } catch (IOException e) {
      lock.close();
      throw new SluiceException(
          ErrorCode.DISK_FAILED,
          "cannot lock data directory " + directory + ": " + IoReason.of(e),
          e);
    }
    lock.close();
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "data directory " + directory + " is in use by another server");
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The lock goes with the descriptor, which is closed even when close reports an error.
      log.warn("closing the lock of a data directory failed", e);
    }
  }
}

package io.sluice.server.disk;

import io.sluice.common.file.DirectoryLock;
import java.nio.channels.ClosedChannelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a directory is ours: the lock goes back when it is closed and nothing replaces a file
 * there any more, or never, if it is kept. A replacement or write that hangs, and comes about when
 * another process has the directory, would undo what that one has written in the same place.
 * Thread-safe; no I/O under its lock but giving the other one back.
 */
final class DirectoryTenure implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DirectoryTenure.class);

  private final DirectoryLock lock;
  private int replacements;
  private boolean kept;
  private boolean closed;

  /**
   * @param lock belongs to this from here
   */
  DirectoryTenure(DirectoryLock lock) {
    this.lock = lock;
  }

  /**
   * A replacement begins, to be {@link #end ended} exactly once, well or not.
   *
   * @throws ClosedChannelException if the directory is not ours any more
   */
  synchronized void begin() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
    replacements++;
  }

  synchronized void end() {
    replacements--;
    if (closed && replacements == 0 && !kept) {
      lock.close();
    }
  }

  /**
   * Something goes on that does not end: the lock does not go back before the process does. Again
   * is harmless; after {@link #close} it is too late.
   */
  synchronized void keep() {
    kept = true;
  }

  /** No replacement begins after this. Again is harmless. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (kept) {
      log.error("{} stays locked until the process ends: accesses to it do not", lock);
    } else if (replacements > 0) {
      log.error("{} stays locked as long as a file is being replaced there", lock);
    } else {
      lock.close();
    }
  }
}

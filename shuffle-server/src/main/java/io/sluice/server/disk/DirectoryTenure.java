package io.sluice.server.disk;

import java.nio.channels.ClosedChannelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a directory is ours: the lock goes back when it is closed and nothing replaces a file
 * there any more. A replacement that hangs, and comes about when another process has the directory,
 * would undo what that one has written under the same name. Thread-safe; no I/O under its lock but
 * giving the other one back.
 */
final class DirectoryTenure implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DirectoryTenure.class);

  private final DirectoryLock lock;
  private int replacements;
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
    if (closed && replacements == 0) {
      lock.close();
    }
  }

  /** Something goes on that does not end: the lock does not go back before the process does. */
  synchronized void keep() {
    replacements++;
  }

  /** No replacement begins after this. Again is harmless. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (replacements == 0) {
      lock.close();
    } else {
      log.error("a data directory stays locked as long as somebody writes there");
    }
  }
}

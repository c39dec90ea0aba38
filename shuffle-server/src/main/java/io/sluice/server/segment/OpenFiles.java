package io.sluice.server.segment;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded set of open segment files, least recently used closed first. Files in use are never
 * closed, and there are never more of those than threads that work for the disk, so the bound holds
 * if it is above their number. Thread-safe; opening happens under the lock, since only the disk's
 * own threads come here.
 */
final class OpenFiles {
  private static final Logger log = LoggerFactory.getLogger(OpenFiles.class);

  private final int filesMax;
  private final Opener opener;
  private final LinkedHashMap<Long, Use> uses = new LinkedHashMap<>(16, 0.75f, true);

  OpenFiles(int filesMax, Opener opener) {
    this.filesMax = filesMax;
    this.opener = opener;
  }

  /** Opens a segment's file, or finds it open; to be {@link Use#release released} once. */
  synchronized Use acquire(Segment segment) throws IOException {
    Use use = uses.get(segment.number());
    if (use == null) {
      closeIdleDownTo(filesMax - 1);
      use = new Use(opener.open(segment.file()));
      uses.put(segment.number(), use);
    }
    use.users++;
    return use;
  }

  private void closeIdleDownTo(int files) {
    Iterator<Use> eldestFirst = uses.values().iterator();
    while (uses.size() > files && eldestFirst.hasNext()) {
      Use use = eldestFirst.next();
      if (use.users == 0) {
        eldestFirst.remove();
        close(use);
      }
    }
  }

  /** Closes the file of a segment that nobody uses. */
  synchronized void forget(long segment) {
    close(uses.remove(segment));
  }

  synchronized void close() {
    uses.values().forEach(OpenFiles::close);
    uses.clear();
  }

  private static void close(@Nullable Use use) {
    if (use == null) {
      return;
    }
    try {
      use.file.close();
    } catch (IOException e) {
      log.warn("closing a segment file failed", e);
    }
  }

  /** How files are opened: for reading, or for writing. */
  @FunctionalInterface
  interface Opener {
    DiskFile open(String file) throws IOException;
  }

  /** One use of an open file. */
  final class Use {
    private final DiskFile file;
    private int users;

    private Use(DiskFile file) {
      this.file = file;
    }

    DiskFile file() {
      return file;
    }

    void release() {
      synchronized (OpenFiles.this) {
        users--;
      }
    }
  }
}

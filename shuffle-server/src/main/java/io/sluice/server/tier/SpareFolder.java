package io.sluice.server.tier;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A folder on a disk of this server, in which a tier keeps what makes starts fast: one at a time.
 * Whoever has it may hang with the disk, and keeps it until he has come back: so a tier that is
 * tried again and again, as one that comes and goes, leaves one that hangs, and not one for each
 * try. Thread-safe.
 */
public final class SpareFolder {
  private final Path path;
  private final AtomicBoolean taken = new AtomicBoolean();

  /** One that nobody has. */
  public SpareFolder(Path path) {
    this.path = path;
  }

  public Path path() {
    return path;
  }

  /** Whether it is the caller's from here, to be {@link #giveBack given back} exactly once. */
  public boolean tryTake() {
    return taken.compareAndSet(false, true);
  }

  /** Nobody who had it will touch it any more. */
  public void giveBack() {
    taken.set(false);
  }
}

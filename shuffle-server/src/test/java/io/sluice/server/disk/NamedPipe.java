package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A file that hangs whoever opens it, until somebody opens its other end. */
public final class NamedPipe {
  private NamedPipe() {}

  /** Makes one, or ends the test where there are none. */
  public static void make(Path path) throws InterruptedException {
    Process made;
    try {
      made = new ProcessBuilder("mkfifo", path.toString()).start();
    } catch (IOException noSuchCommand) {
      Assumptions.abort("there are no pipes with names here");
      return;
    }
    if (made.waitFor() != 0) {
      throw new AssertionError("no pipe " + path + " was made");
    }
  }
}

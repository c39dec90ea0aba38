package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A process besides this one, for locks that the operating system grants to processes. */
final class OtherCoordinator {
  private static final int STARTED = 10;
  private static final int REFUSED = 11;
  private static final int TIMEOUT_SECONDS = 60;

  private OtherCoordinator() {}

  /** Argument: the data directory of a ZooKeeper to start, and stop again. */
  public static void main(String[] args) {
    try {
      EmbeddedZooKeeper.start(Path.of(args[0])).close();
      System.exit(STARTED);
    } catch (SluiceException e) {
      System.exit(e.code() == ErrorCode.INVALID_CONFIGURATION ? REFUSED : 1);
    }
  }

  /** Whether another process can have the directory. */
  static boolean starts(Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherCoordinator.class.getName(),
                directory.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the other process does not end");
      }
    } finally {
      process.destroyForcibly();
    }
    return switch (process.exitValue()) {
      case STARTED -> true;
      case REFUSED -> false;
      default -> throw new AssertionError("the other process failed, see its errors above");
    };
  }
}

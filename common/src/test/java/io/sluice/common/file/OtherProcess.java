package io.sluice.common.file;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A process besides this one, for locks that the operating system grants to processes. */
final class OtherProcess {
  private static final int OPENED = 10;
  private static final int REFUSED = 11;
  private static final int TIMEOUT_SECONDS = 60;

  private OtherProcess() {}

  /** Argument: a directory to lock. */
  public static void main(String[] args) throws IOException {
    try {
      DirectoryLock.acquire(Path.of(args[0]), "it").close();
      System.exit(OPENED);
    } catch (SluiceException e) {
      System.exit(e.code() == ErrorCode.INVALID_CONFIGURATION ? REFUSED : 1);
    }
  }

  /** Whether another process can have the directory. */
  static boolean locks(Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
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
      case OPENED -> true;
      case REFUSED -> false;
      default -> throw new AssertionError("the other process failed, see its errors above");
    };
  }
}

package io.sluice.common.config;

import io.sluice.common.error.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Whether a directory that a setting names can be there and be written to. */
public final class DirectoryCheck {
  private DirectoryCheck() {}

  /**
   * Looks at a directory. One that is not there is made and taken away again: whether it can be
   * made is not to be seen otherwise (a user who may do all cannot make one in /proc).
   *
   * @return what is wrong, for people; empty if nothing is
   */
  public static Optional<String> problem(ConfigKey<?> setting, Path directory) {
    return reason(directory.toAbsolutePath())
        .map(reason -> setting + ": directory " + directory + " cannot be used: " + reason);
  }

  private static Optional<String> reason(Path directory) {
    if (Files.isDirectory(directory)) {
      boolean open =
          Files.isReadable(directory)
              && Files.isWritable(directory)
              && Files.isExecutable(directory);
      return open ? Optional.empty() : Optional.of("permission denied to write there");
    }
    Deque<Path> made = new ArrayDeque<>();
    try {
      make(directory, made);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(IoReason.of(e));
    } finally {
      made.forEach(DirectoryCheck::remove);
    }
  }

  /**
   * @param made gets what was not there before, the innermost first
   */
  private static void make(Path directory, Deque<Path> made) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path at = directory; at != null && !Files.exists(at); at = at.getParent()) {
      missing.push(at);
    }
    for (Path at : missing) {
      Files.createDirectory(at);
      made.push(at);
    }
    if (missing.isEmpty()) {
      // It is there, and no directory: the error says so.
      Files.createDirectory(directory);
    }
  }

  private static void remove(Path made) {
    try {
      Files.deleteIfExists(made);
    } catch (IOException e) {
      // Somebody else has put something into it meanwhile: it is theirs now, and no harm is done.
      return;
    }
  }
}

package io.sluice.common.config;

import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Whether a directory that a setting names can be there and be written to. */
public final class DirectoryCheck {
  private DirectoryCheck() {}

  /**
   * Looks at a directory. For one that is not there, another is made beside where it would begin,
   * and taken away again: whether any can be made is not to be seen otherwise (a user who may do
   * all cannot make one in /proc). Its name is nobody else's, so services that start side by side
   * do not take away what the other is about to use.
   *
   * @return what is wrong, for people; empty if nothing is
   */
  public static Optional<String> problem(ConfigKey<?> setting, Path directory) {
    return reason(directory.toAbsolutePath())
        .map(reason -> setting + ": directory " + directory + " cannot be used: " + reason);
  }

  private static Optional<String> reason(Path directory) {
    Path there = nearest(directory);
    if (!Files.isDirectory(there)) {
      return Optional.of(there + ": not a directory");
    }
    if (!there.equals(directory)) {
      return cannotMakeOneIn(there);
    }
    boolean open = Files.isReadable(there) && Files.isWritable(there) && Files.isExecutable(there);
    return open ? Optional.empty() : Optional.of("permission denied");
  }

  /** What is there, of a path from its end on. */
  private static Path nearest(Path path) {
    Path at = path;
    Path parent = at.getParent();
    while (parent != null && !Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
      at = parent;
      parent = at.getParent();
    }
    return at;
  }

  private static Optional<String> cannotMakeOneIn(Path parent) {
    try {
      Files.delete(Files.createTempDirectory(parent, ".sluice-check-"));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("none can be made in " + parent + ": " + IoReason.of(e));
    }
  }
}

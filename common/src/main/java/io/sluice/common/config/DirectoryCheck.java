package io.sluice.common.config;

import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Whether a directory that a setting names can be there and be written to. */
public final class DirectoryCheck {
  /** What a directory is asked; a seam, since whoever may do all is denied nothing. */
  interface Access {
    /** Whether it can be looked into. */
    boolean isOpen(Path directory);

    boolean isWritable(Path directory);

    /** Makes a directory in it, of a name that nobody else has, and takes it away again. */
    void tryToMakeOneIn(Path directory) throws IOException;
  }

  private static final class RealAccess implements Access {
    @Override
    public boolean isOpen(Path directory) {
      return Files.isReadable(directory) && Files.isExecutable(directory);
    }

    @Override
    public boolean isWritable(Path directory) {
      return Files.isWritable(directory);
    }

    @Override
    public void tryToMakeOneIn(Path directory) throws IOException {
      Files.delete(Files.createTempDirectory(directory, ".sluice-check-"));
    }
  }

  private DirectoryCheck() {}

  /**
   * Looks at a directory. For one that is not there, another is made beside where it would begin,
   * and taken away again: whether any can be made is not to be seen otherwise (a user who may do
   * all cannot make one in /proc). Its name is nobody else's, so services that start side by side
   * do not take away what the other is about to use. In one that cannot be written to another is
   * made as well, since only that tells why.
   *
   * @return what is wrong, for people; empty if nothing is
   */
  public static Optional<String> problem(ConfigKey<?> setting, Path directory) {
    return problem(setting, directory, new RealAccess());
  }

  static Optional<String> problem(ConfigKey<?> setting, Path directory, Access access) {
    return reason(directory.toAbsolutePath(), access)
        .map(reason -> setting + ": directory " + directory + " cannot be used: " + reason);
  }

  private static Optional<String> reason(Path directory, Access access) {
    Path there = nearest(directory);
    if (!Files.isDirectory(there)) {
      return Optional.of(there + ": not a directory");
    }
    if (!there.equals(directory)) {
      return whyNoneCanBeMadeIn(there, access)
          .map(reason -> "none can be made in " + there + ": " + reason);
    }
    if (!access.isOpen(there)) {
      return Optional.of("permission denied");
    }
    return access.isWritable(there) ? Optional.empty() : whyNoneCanBeMadeIn(there, access);
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

  private static Optional<String> whyNoneCanBeMadeIn(Path parent, Access access) {
    try {
      access.tryToMakeOneIn(parent);
      return Optional.empty();
    } catch (IOException e) {
      // The file that it names is one that nobody knows.
      return Optional.of(IoReason.withoutFile(e));
    }
  }
}

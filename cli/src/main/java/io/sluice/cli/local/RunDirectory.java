package io.sluice.cli.local;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory for what one run writes. Links in it are removed, not followed; nobody has to look at
 * an empty one, so that is never kept. Thread-safe.
 */
public final class RunDirectory {
  private final Path path;
  private volatile boolean kept;

  private RunDirectory(Path path, boolean kept) {
    this.path = path;
    this.kept = kept;
  }

  /** Makes an empty directory where temporary files go. */
  public static RunDirectory create(String prefix, boolean keep) throws IOException {
    Path parent = parent();
    try {
      return new RunDirectory(Files.createTempDirectory(parent, prefix), keep);
    } catch (IOException e) {
      throw new IOException("cannot make a directory in " + parent + " (TMPDIR): " + reason(e), e);
    }
  }

  /** Where directories are made: the scripts take it from {@code TMPDIR}. */
  public static Path parent() {
    return Path.of(System.getProperty("java.io.tmpdir"));
  }

  private static String reason(IOException failure) {
    return failure instanceof NoSuchFileException
        ? "it does not exist"
        : String.valueOf(failure.getMessage());
  }

  /** Makes an empty directory in another one, or where temporary files go. */
  public static RunDirectory create(String prefix, boolean keep, @Nullable Path parent)
      throws IOException {
    return parent == null
        ? create(prefix, keep)
        : new RunDirectory(Files.createTempDirectory(parent, prefix), keep);
  }

  public Path path() {
    return path;
  }

  /** The directory stays, for someone to look at. */
  public void keep() {
    kept = true;
  }

  /** Whether there will be something to look at. */
  public boolean kept() {
    return kept && !isEmpty();
  }

  /** Deletes the directory unless it is to be kept; what cannot be deleted stays. */
  public void discard() {
    if (kept() || !Files.exists(path)) {
      return;
    }
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (IOException stays) {
      System.err.println("cannot delete " + path + ": " + stays.getMessage());
    }
  }

  private boolean isEmpty() {
    try (Stream<Path> contents = Files.list(path)) {
      return contents.findAny().isEmpty();
    } catch (IOException gone) {
      return true;
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException gone) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}

package io.sluice.server.config;

import io.sluice.server.disk.DiskClass;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** A data directory and what its disk is made of: {@code ssd:/a}, {@code hdd:/b}, or {@code /a}. */
public record DataDir(DiskClass kind, Path path) {
  // What a store makes in its directory; see docs/storage-format.md.
  private static final Set<String> FOLDERS = Set.of("segments", "catalog");

  private static final Pattern OTHER_KIND = Pattern.compile("[A-Za-z0-9]+:");

  /**
   * @throws IllegalArgumentException if it is no path
   */
  static DataDir parse(String text) {
    for (DiskClass kind : DiskClass.values()) {
      String prefix = kind.text() + ":";
      if (text.startsWith(prefix)) {
        return new DataDir(kind, path(text.substring(prefix.length())));
      }
    }
    if (OTHER_KIND.matcher(text).lookingAt()) {
      throw new IllegalArgumentException(
          "disks are ssd or hdd; a directory whose name has a colon begins with one of them, as in"
              + " ssd:"
              + text);
    }
    return new DataDir(DiskClass.SSD, path(text));
  }

  /**
   * Directories that are others too, or lie among the files that another's store keeps, however
   * they are written: two stores would take each other's files for their own. A disk may well be
   * mounted below another's directory.
   */
  static List<String> overlaps(List<DataDir> dirs) {
    List<String> overlaps = new ArrayList<>();
    for (int i = 0; i < dirs.size(); i++) {
      for (DataDir other : dirs.subList(0, i)) {
        overlap(other.path, dirs.get(i).path).ifPresent(overlaps::add);
      }
    }
    return overlaps;
  }

  private static Optional<String> overlap(Path one, Path other) {
    Path first = one.toAbsolutePath().normalize();
    Path second = other.toAbsolutePath().normalize();
    if (first.equals(second)) {
      return Optional.of(other + " is named twice");
    }
    if (isAmongFilesOf(first, second)) {
      return Optional.of(other + " is within " + one);
    }
    return isAmongFilesOf(second, first)
        ? Optional.of(one + " is within " + other)
        : Optional.empty();
  }

  private static boolean isAmongFilesOf(Path store, Path path) {
    return path.startsWith(store) && FOLDERS.contains(store.relativize(path).getName(0).toString());
  }

  private static Path path(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("a directory is missing");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("not a path: " + e.getReason(), e);
    }
  }

  @Override
  public String toString() {
    return kind.text() + ":" + path;
  }
}

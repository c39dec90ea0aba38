package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderEntriesTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  /**
   * Gives some entries, and then ends.
   *
   * @param failure what the disk says instead of the end
   */
  private record Entries(List<Path> paths, @Nullable IOException failure)
      implements DirectoryStream<Path> {
    @Override
    public Iterator<Path> iterator() {
      Deque<Path> left = new ArrayDeque<>(paths);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          if (left.isEmpty() && failure != null) {
            throw new DirectoryIteratorException(failure);
          }
          return !left.isEmpty();
        }

        @Override
        public Path next() {
          return left.remove();
        }
      };
    }

    @Override
    public void close() {}
  }

  private Path file(String name) throws IOException {
    return Files.createFile(directory.resolve(name));
  }

  @Test
  void aFolderThatCannotBeReadToItsEndIsAFailureOfTheDisk() throws IOException {
    // Not to be taken for a folder that is not there.
    IOException failure = new NoSuchFileException("a", null, "Input/output error");
    Entries half = new Entries(List.of(file("a")), failure);
    Entries nothing = new Entries(List.of(), failure);

    assertThatThrownBy(() -> FolderEntries.files(half)).satisfies(FolderEntriesTest::isUnread);
    assertThatThrownBy(() -> FolderEntries.files(nothing)).satisfies(FolderEntriesTest::isUnread);
    assertThatThrownBy(() -> FolderEntries.any(nothing)).satisfies(FolderEntriesTest::isUnread);
    assertThat(FolderEntries.any(half)).isTrue();
  }

  private static void isUnread(Throwable failure) {
    assertThat(failure)
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("cannot be read to its end")
        .hasMessageContaining("Input/output error");
  }

  @Test
  void filesAreListedWithTheirLengthAndFoldersAreNot() throws IOException {
    Path file = Files.write(file("a"), new byte[7]);
    Path folder = Files.createDirectory(directory.resolve("b"));

    assertThat(FolderEntries.files(new Entries(List.of(file, folder), null)))
        .containsExactly(new Disk.FileEntry("a", 7));
    assertThat(FolderEntries.any(new Entries(List.of(), null))).isFalse();
  }

  /** As one by an inode that cannot be read; one that is a link to itself gives a like answer. */
  private Path hidden(String name) throws IOException {
    Path link = directory.resolve(name);
    return Files.createSymbolicLink(link, link);
  }

  @Test
  void aFileThatCannotBeLookedAtIsThereAndOneThatWentIsNot() throws IOException {
    Path gone = directory.resolve("gone");
    Entries entries = new Entries(List.of(file("a"), gone, hidden("b"), file("c")), null);

    assertThat(FolderEntries.files(entries))
        .containsExactly(
            new Disk.FileEntry("a", 0),
            new Disk.FileEntry("b", Disk.FileEntry.UNKNOWN),
            new Disk.FileEntry("c", 0));
  }
}

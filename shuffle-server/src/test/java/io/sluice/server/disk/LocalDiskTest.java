package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDiskTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  @Test
  void writesAlignedAndReadsAnywhere() throws IOException {
    try (LocalDisk disk = LocalDisk.open(directory)) {
      ByteBuffer page = AlignedBuffers.allocate(2 * Disk.ALIGNMENT);
      page.put(5000, (byte) 42);
      try (DiskFile created = disk.create("folder/a")) {
        assertThat(created.write(page, Disk.ALIGNMENT)).isEqualTo(page.capacity());
        assertThat(created.length()).isEqualTo(3L * Disk.ALIGNMENT);
        created.truncate(2L * Disk.ALIGNMENT);
        created.force();
      }
      DiskFile file = disk.openForRead("folder/a");
      ByteBuffer bytes = ByteBuffer.allocateDirect(7);
      file.read(bytes, 5000);
      assertThat(bytes.hasRemaining()).isFalse();
      assertThat(file.read(ByteBuffer.allocateDirect(1), 2L * Disk.ALIGNMENT)).isEqualTo(-1);
      assertThat(disk.openFiles()).isEqualTo(1);
      file.close();
      file.close();
      assertThat(disk.openFiles()).isZero();
      assertThat(disk.list("folder")).containsExactly(new Disk.FileEntry("a", 2L * Disk.ALIGNMENT));
    }
  }

  @Test
  void knowsWhichDirectoriesShareAFileSystem() {
    try (LocalDisk one = LocalDisk.open(directory.resolve("one"));
        LocalDisk two = LocalDisk.open(directory.resolve("two"))) {
      assertThat(one.fileSystem()).isNotBlank().isEqualTo(two.fileSystem());
    }
  }

  @Test
  void saysWhatExists() throws IOException {
    try (LocalDisk disk = LocalDisk.open(directory.resolve("new/one"))) {
      assertThat(disk.list("folder")).isEmpty();
      assertThat(disk.holds("folder")).isFalse();
      assertThat(disk.readSmall("small")).isNull();
      assertThatThrownBy(() -> disk.openForRead("x")).isInstanceOf(NoSuchFileException.class);
      assertThatThrownBy(() -> disk.openForWrite("x")).isInstanceOf(NoSuchFileException.class);
      disk.create("folder/x").close();
      assertThatThrownBy(() -> disk.create("folder/x"))
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThat(disk.holds("folder")).isTrue();
      disk.delete("folder/x");
      disk.delete("folder/x");
      assertThat(disk.holds("folder")).isFalse();
      assertThat(disk.free()).isBetween(1L, disk.capacity());
    }
  }

  @Test
  void whatCannotBeLookedAtIsNotAbsent() throws IOException {
    try (LocalDisk disk = LocalDisk.open(directory)) {
      Path link = directory.resolve("hidden");
      Files.createSymbolicLink(link, link);

      assertThat(disk.list("")).contains(new Disk.FileEntry("hidden", Disk.FileEntry.UNKNOWN));
      assertThatThrownBy(() -> disk.holds("hidden")).isInstanceOf(IOException.class);
    }
  }

  /** What power loss would leave, {@link SimulatedDisk} shows. */
  @Test
  void syncsTheNamesInAFolderWhetherItIsThereOrNot() throws IOException {
    try (LocalDisk disk = LocalDisk.open(directory.resolve("above/disk"))) {
      disk.forceNames("segments");
      assertThat(directory.resolve("above/disk/segments")).doesNotExist();
      disk.create("segments/a").close();
      disk.forceNames("segments");
      disk.force("segments/a");

      assertThat(disk.list("segments")).hasSize(1);
      assertThat(disk.openFiles()).isZero();
    }
  }

  /** How a start takes it from a disk that is full, {@code RealDiskFaultTest} shows. */
  @Test
  void keepsRoomForAStartWhereThereIsMore() throws IOException {
    Path kept = directory.resolve("start-room");
    try (LocalDisk disk = LocalDisk.open(directory)) {
      disk.keepStartRoom(3_000_000, disk.capacity());
      assertThat(kept).doesNotExist();
      disk.keepStartRoom(3_000_000, 0);
      assertThat(kept).hasSize(3_000_000);
    }

    LocalDisk.open(directory).close();

    assertThat(kept).as("nobody was in need").hasSize(3_000_000);
  }

  /** As where a disk was unmounted: what is written there fills another file system. */
  @Test
  void keepsAndSyncsNothingInAnotherDirectory() throws IOException {
    Path path = directory.resolve("disk");
    try (LocalDisk disk = LocalDisk.open(path)) {
      Files.move(path, directory.resolve("away"));
      Files.createDirectory(path);

      assertThatThrownBy(() -> disk.keepStartRoom(1_000, 0))
          .isInstanceOf(NoSuchFileException.class);
      // In a life that wrote nothing there is no such folder.
      assertThatThrownBy(() -> disk.forceNames("segments")).isInstanceOf(NoSuchFileException.class);
      assertThat(path).isEmptyDirectory();
    }
  }

  @Test
  void replacesSmallFilesWhole() throws IOException {
    try (LocalDisk disk = LocalDisk.open(directory)) {
      disk.replaceSmall("small", new byte[] {1, 2, 3});
      disk.replaceSmall("small", new byte[] {4});

      assertThat(disk.readSmall("small")).containsExactly(4);
      assertThat(disk.list("")).extracting(Disk.FileEntry::name).doesNotContain("small.tmp");
    }
  }

  /** A start would hang at a pipe, or read a file that is larger than the heap. */
  @Test
  void refusesWhatIsNoSmallFile() throws Exception {
    try (LocalDisk disk = LocalDisk.open(directory)) {
      NamedPipe.make(directory.resolve("pipe"));
      assertThatThrownBy(() -> disk.readSmall("pipe"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("pipe is no regular file");

      try (RandomAccessFile large =
          new RandomAccessFile(directory.resolve("large").toFile(), "rw")) {
        large.setLength(Disk.SMALL_MAX);
        assertThat(disk.readSmall("large")).hasSize(Disk.SMALL_MAX);
        large.setLength(3L << 30);
      }
      assertThatThrownBy(() -> disk.readSmall("large"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("large has more than 1048576 bytes");
    }
  }

  @Test
  void isLockedUntilClosed() {
    LocalDisk first = LocalDisk.open(directory);
    assertThatThrownBy(() -> LocalDisk.open(directory))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("in use");
    first.close();
    LocalDisk second = LocalDisk.open(directory);
    first.close();
    assertThatThrownBy(() -> LocalDisk.open(directory)).hasMessageContaining("in use");
    second.close();
  }

  @Test
  void refusesAPathThatIsNoDirectory() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatThrownBy(() -> LocalDisk.open(file))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(file.toString());
  }
}

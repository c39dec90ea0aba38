package io.sluice.server.disk;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The files under one server directory, exclusively locked by whoever holds this. Thread-safe.
 * Names are relative and may contain {@code /}; folders are made as files need them.
 *
 * <p>An {@link IOException} means that the disk failed or is full; callers decide what it costs.
 */
public interface Disk extends AutoCloseable {
  /**
   * What offsets, lengths and addresses of {@link #create segment writes} must be multiples of, in
   * bytes: the page size, which every logical block size divides.
   */
  int ALIGNMENT = 4096;

  /** Bytes of a small file at most. */
  int SMALL_MAX = 1 << 20;

  /** The directory, for people. */
  String name();

  /**
   * Whether the directory is still the one that was opened, and not an empty mount point or nothing
   * at all: files that are open go on taking bytes that nobody will find again.
   *
   * @throws IOException if it is not
   */
  default void check() throws IOException {
    // A disk that has no directory cannot lose it.
  }

  /**
   * Accesses are under way that do not end: nobody else may have the directory before this process
   * is gone, also when this is closed.
   */
  default void keep() {
    // A disk that others cannot have does not mind.
  }

  /**
   * How long an access may be under way before it counts as one that does not return: far above
   * what a working disk takes for its whole queue. A spindle needs a second for twenty units, and
   * kernels give up on a command after 30 s.
   */
  default long patienceNanos() {
    return TimeUnit.SECONDS.toNanos(30);
  }

  /**
   * Creates a file for aligned writes.
   *
   * @throws java.nio.file.FileAlreadyExistsException if it exists
   */
  DiskFile create(String file) throws IOException;

  /**
   * Opens a file for aligned writes.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   */
  DiskFile openForWrite(String file) throws IOException;

  /**
   * Opens a file for reads at any offset and of any length.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   * @throws java.nio.file.AccessDeniedException if its owner keeps it from this server, which says
   *     nothing of the disk; likewise cutting a file open for writes
   */
  DiskFile openForRead(String file) throws IOException;

  /**
   * Opens a file for reads whose position, length and buffer address are aligned; they go past the
   * page cache if {@link #bypassesPageCache}.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   */
  DiskFile openForAlignedRead(String file) throws IOException;

  /** Whether aligned reads and writes leave the page cache alone (O_DIRECT). */
  boolean bypassesPageCache();

  /**
   * Makes what was written to a file, by whomever, survive power loss, its length included. It has
   * to be one that may be read, no more.
   */
  default void force(String file) throws IOException {
    try (DiskFile opened = openForRead(file)) {
      opened.force();
    }
  }

  /**
   * Makes which files there are directly in a folder survive power loss: that those which were
   * created are there, and those which were deleted are not. A folder that does not exist has none,
   * as long as the disk is the one that was opened. By default that needs nothing.
   */
  default void forceNames(String folder) throws IOException {
    // A file system whose names are kept by others has nothing to sync here.
  }

  /**
   * The regular files directly in a folder, in no order, and what cannot be looked at; none if the
   * folder does not exist. That says nothing of what was there: ask {@link #check} before anything
   * is done about files that are not.
   *
   * @throws IOException if it cannot be read to its end
   */
  List<FileEntry> list(String folder) throws IOException;

  /** Whether a file or folder exists and, if a folder, has anything in it. */
  boolean holds(String name) throws IOException;

  /** Deletes a file; one that does not exist is fine. */
  void delete(String file) throws IOException;

  /**
   * The bytes of a small file, or null if there is none.
   *
   * @throws IOException also if it has more than {@link #SMALL_MAX} bytes, or is none: somebody
   *     else may have put it there
   */
  byte @Nullable [] readSmall(String file) throws IOException;

  /**
   * Replaces a small file in one step and syncs it: after return it survives power loss. Not after
   * {@link #close}, and what is under way then comes about while the lock is still held.
   */
  void replaceSmall(String file, byte[] content) throws IOException;

  /**
   * Keeps bytes for the next start, which may find the disk full, unless they are kept already or
   * less than {@code spare} would be free besides. By default starts need none.
   */
  default void keepStartRoom(long bytes, long spare) throws IOException {
    // Nothing is written at a start where this is so.
  }

  /**
   * What disks have in common whose {@link #free} bytes are the same ones; unique on a machine. By
   * default a disk is alone.
   */
  default String fileSystem() {
    return name();
  }

  /** Bytes of the file system. */
  long capacity() throws IOException;

  /** Bytes that can still be written. */
  long free() throws IOException;

  /** Files opened here and not yet closed. */
  int openFiles();

  /**
   * Releases the lock, as soon as no small file is being replaced. Every file must have been
   * closed.
   */
  @Override
  void close();

  /**
   * A file and its length in bytes.
   *
   * @param length {@link #UNKNOWN} where the disk does not say, nor whether it is a regular file
   */
  record FileEntry(String name, long length) {
    public static final long UNKNOWN = -1;
  }
}

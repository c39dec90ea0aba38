package io.sluice.common.file;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclusive lock on a directory, by a file in it; the operating system frees it when the
 * process dies. Thread-safe.
 *
 * <p>It frees it as well when the process closes <em>any</em> descriptor of the locked file, since
 * POSIX locks are between a process and a file. So a file that is locked here is not opened again,
 * whatever the directory is called then: it is known by device and inode, and in all of the
 * process, as its lock is.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DirectoryLock.class);
  private static final String FILE = "lock";

  /** The directories of this process, by what is locked in them. Claimed before it is. */
  private static final ConcurrentMap<Object, Path> CLAIMED = new ConcurrentHashMap<>();

  /**
   * Those of locks that are held. The collector would close one that nobody refers to any more; a
   * file that is made later could have the inode then, and be taken for claimed.
   */
  private static final Set<FileChannel> HELD = ConcurrentHashMap.newKeySet();

  /** Descriptors whose end would free a lock that is held here: they stay with the process. */
  private static final Queue<FileChannel> KEPT = new ConcurrentLinkedQueue<>();

  private final String name;
  private final Object inode;
  private final FileChannel channel;

  private DirectoryLock(String name, Object inode, FileChannel channel) {
    this.name = name;
    this.inode = inode;
    this.channel = channel;
  }

  /**
   * @param directory that is there
   * @param name of the directory, for people: what it is for, and where
   * @throws SluiceException INVALID_CONFIGURATION if someone else has it, or this process, under
   *     this or another name
   * @throws IOException if it cannot be written or locked
   */
  public static DirectoryLock acquire(Path directory, String name) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel made = tryMake(file);
    Object inode = inode(file, made);
    Path holder = CLAIMED.putIfAbsent(inode, directory);
    if (holder == null) {
      return acquire(file, name, inode, made);
    }
    if (made != null) {
      // Locked by whoever saw it between these lines.
      KEPT.add(made);
    }
    throw inUse(name, "this process, as " + holder);
  }

  private static @Nullable FileChannel tryMake(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      return null;
    }
  }

  private static Object inode(Path file, @Nullable FileChannel made) throws IOException {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      // Where the file system has none, the one name that every other leads to.
      return key == null ? file.toRealPath() : key;
    } catch (IOException e) {
      if (made != null) {
        close(made);
      }
      throw e;
    }
  }

  /**
   * @param made the file, open, if it was made just now
   */
  private static DirectoryLock acquire(
      Path file, String name, Object inode, @Nullable FileChannel made) throws IOException {
    boolean locked = false;
    try {
      FileChannel channel = made == null ? FileChannel.open(file, StandardOpenOption.WRITE) : made;
      lock(name, channel);
      locked = true;
      HELD.add(channel);
      return new DirectoryLock(name, inode, channel);
    } finally {
      if (!locked) {
        CLAIMED.remove(inode);
      }
    }
  }

  private static void lock(String name, FileChannel channel) throws IOException {
    boolean locked;
    try {
      locked = channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // A directory of this process has come under this name since the look at the inode.
      KEPT.add(channel);
      throw inUse(name, "this process");
    } catch (IOException e) {
      close(channel);
      throw e;
    }
    if (!locked) {
      close(channel);
      throw inUse(name, "another process");
    }
  }

  private static SluiceException inUse(String name, String user) {
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, name + " is in use by " + user);
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The lock goes with the descriptor, which is closed even when close reports an error.
      log.warn("closing the lock of a directory failed", e);
    }
  }

  /** Closing again is harmless, whoever has the directory since. */
  @Override
  public synchronized void close() {
    if (channel.isOpen()) {
      close(channel);
      HELD.remove(channel);
      CLAIMED.remove(inode);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

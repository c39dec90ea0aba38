package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that fails on demand and keeps its contents over {@link #restart}. It insists on
 * what a real disk with O_DIRECT insists on (alignment), and on what a program should (closing its
 * files). A write or cut is visible to the next process once it has returned; {@link #losePower}
 * also takes pages and names that were not synced, and brings files back. Thread-safe.
 */
public final class SimulatedDisk implements Disk {
  private final String name;
  private volatile long capacity;
  private final DiskFaults faults = new DiskFaults();
  private final Map<String, SimulatedFile> files = new TreeMap<>();
  // Names that power loss may take, and files that it may bring back.
  private final Set<String> unsyncedNames = new TreeSet<>();
  private final Map<String, SimulatedFile> unsyncedDeletions = new TreeMap<>();
  private final Object lock = new Object();
  private int session;
  private int openFiles;
  private int openFilesMax;
  private int asked;
  private boolean dead;
  private boolean closed;
  private boolean kept;

  public SimulatedDisk(String name, long capacity) {
    this.name = name;
    this.capacity = capacity;
  }

  public DiskFaults faults() {
    return faults;
  }

  /** What is on the disk is opened by a new process; the old one's open files are worthless. */
  public void restart() {
    synchronized (lock) {
      session++;
      openFiles = 0;
      openFilesMax = 0;
      dead = false;
      closed = false;
      kept = false;
    }
  }

  /** Others make room, or take it. */
  public void grow(long newCapacity) {
    capacity = newCapacity;
  }

  /** As {@link #restart}, after unsynced pages and names were lost by chance. */
  public void losePower(SplittableRandom random) {
    synchronized (lock) {
      unsyncedNames.stream().filter(name -> random.nextBoolean()).forEach(files::remove);
      unsyncedDeletions.forEach(
          (name, file) -> {
            if (random.nextBoolean()) {
              files.putIfAbsent(name, file);
            }
          });
      unsyncedNames.clear();
      unsyncedDeletions.clear();
      files.values().forEach(file -> file.losePower(random));
      restart();
    }
  }

  /** A second disk with the same contents. */
  public SimulatedDisk copy() {
    SimulatedDisk copy = new SimulatedDisk(name, capacity);
    synchronized (lock) {
      files.forEach((file, bytes) -> copy.files.put(file, bytes.copy()));
    }
    return copy;
  }

  /** Flips bits of a file's byte behind the program's back. */
  public void flip(String file, int position, int mask) {
    synchronized (lock) {
      existing(file).flip(position, mask);
    }
  }

  /** Puts zeros in the place of bytes of a file behind the program's back. */
  public void zero(String file, int position, int length) {
    synchronized (lock) {
      existing(file).zero(position, length);
    }
  }

  /**
   * Whether pages with some of these bytes were read since the last restart: who did may have them
   * in memory.
   */
  public boolean wasRead(String file, int position, int length) {
    synchronized (lock) {
      return existing(file).wasRead(session, position, length);
    }
  }

  /** Cuts a file behind the program's back. */
  public void cut(String file, int length) {
    synchronized (lock) {
      existing(file).truncate(length);
    }
  }

  /** All files, sorted. */
  public List<String> files() {
    synchronized (lock) {
      return List.copyOf(files.keySet());
    }
  }

  /** A file's length in bytes. */
  public int length(String file) {
    synchronized (lock) {
      return existing(file).length();
    }
  }

  /** The most files open at once since the last restart. */
  public int openFilesMax() {
    synchronized (lock) {
      return openFilesMax;
    }
  }

  /** How often it was asked for its free bytes. */
  public int asked() {
    synchronized (lock) {
      return asked;
    }
  }

  private SimulatedFile existing(String file) {
    SimulatedFile found = files.get(file);
    if (found == null) {
      throw new AssertionError("no file " + file);
    }
    return found;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void check() throws IOException {
    if (faults.isVanished()) {
      throw new NoSuchFileException(name, null, "another directory is there now");
    }
  }

  @Override
  public DiskFile create(String file) throws IOException {
    synchronized (lock) {
      checkAlive();
      if (files.containsKey(file)) {
        throw new FileAlreadyExistsException(file);
      }
      files.put(file, new SimulatedFile());
      unsyncedNames.add(file);
      return open(file, SimulatedOpenFile.Use.WRITE);
    }
  }

  @Override
  public DiskFile openForWrite(String file) throws IOException {
    return open(file, SimulatedOpenFile.Use.WRITE);
  }

  @Override
  public DiskFile openForRead(String file) throws IOException {
    return open(file, SimulatedOpenFile.Use.READ);
  }

  @Override
  public DiskFile openForAlignedRead(String file) throws IOException {
    return open(file, SimulatedOpenFile.Use.ALIGNED_READ);
  }

  @Override
  public boolean bypassesPageCache() {
    return true;
  }

  private DiskFile open(String file, SimulatedOpenFile.Use use) throws IOException {
    synchronized (lock) {
      checkAlive();
      SimulatedFile bytes = files.get(file);
      if (bytes == null) {
        throw new NoSuchFileException(file);
      }
      faults.onOpen(file);
      openFiles++;
      openFilesMax = Math.max(openFilesMax, openFiles);
      return new SimulatedOpenFile(this, file, bytes, use);
    }
  }

  /** Its lock is held. */
  void checkAlive() throws IOException {
    if (dead || closed) {
      throw new IOException("simulated disk " + name + (dead ? " is dead" : " is closed"));
    }
  }

  @Override
  public List<FileEntry> list(String folder) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onOpen(folder);
      faults.onList();
      List<FileEntry> entries = new ArrayList<>();
      if (faults.isVanished()) {
        return entries;
      }
      String prefix = folder + "/";
      files.forEach(
          (file, bytes) -> {
            if (file.startsWith(prefix) && file.indexOf('/', prefix.length()) < 0) {
              long length = faults.hides(file) ? FileEntry.UNKNOWN : bytes.length();
              entries.add(new FileEntry(file.substring(prefix.length()), length));
            }
          });
      return entries;
    }
  }

  @Override
  public boolean holds(String file) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onList();
      return files.containsKey(file)
          || files.keySet().stream().anyMatch(other -> other.startsWith(file + "/"));
    }
  }

  @Override
  public void delete(String file) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onDelete();
      if (faults.isVanished()) {
        return;
      }
      SimulatedFile gone = files.remove(file);
      unsyncedNames.remove(file);
      if (gone != null) {
        unsyncedDeletions.put(file, gone);
      }
    }
  }

  @Override
  public void forceNames(String folder) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onForce();
      unsyncedNames.removeIf(file -> file.startsWith(folder + "/"));
      unsyncedDeletions.keySet().removeIf(file -> file.startsWith(folder + "/"));
    }
  }

  @Override
  public byte @Nullable [] readSmall(String file) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onRead(file, 0);
      SimulatedFile found = files.get(file);
      if (found == null) {
        return null;
      }
      byte[] content = new byte[found.length()];
      found.copyOut(0, content, content.length);
      return content;
    }
  }

  @Override
  public void replaceSmall(String file, byte[] content) throws IOException {
    synchronized (lock) {
      checkAlive();
      faults.onReplace();
      SimulatedFile next = new SimulatedFile();
      next.write(0, content, 0, content.length);
      next.sync();
      files.put(file, next);
    }
  }

  @Override
  public long capacity() {
    return capacity;
  }

  @Override
  public long free() throws IOException {
    faults.beforeAnswer();
    synchronized (lock) {
      checkAlive();
      faults.onAsking();
      asked++;
      return capacity - used();
    }
  }

  /** Bytes of all files. Its lock is held. */
  long used() {
    return files.values().stream().mapToLong(SimulatedFile::length).sum();
  }

  @Override
  public int openFiles() {
    synchronized (lock) {
      return openFiles;
    }
  }

  @Override
  public void keep() {
    synchronized (lock) {
      kept = true;
    }
  }

  /** Whether nobody else may have it before the process is gone. */
  public boolean isKept() {
    synchronized (lock) {
      return kept;
    }
  }

  /** Whether somebody else may have it. */
  public boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      if (openFiles != 0 && !dead) {
        throw new AssertionError(openFiles + " files were not closed on " + name);
      }
    }
  }

  /** What all of its state, and that of its open files, is guarded by. */
  Object lock() {
    return lock;
  }

  /** Its life: a file opened in an earlier one is worthless. Its lock is held. */
  int session() {
    return session;
  }

  /** The process dies in the midst of a write. Its lock is held. */
  void die() {
    dead = true;
  }

  /** A file of this life was closed. Its lock is held. */
  void oneFileLess() {
    openFiles--;
  }
}

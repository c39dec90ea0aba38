package io.sluice.server.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A disk that fails now and then, in the middle of it or afterwards, as long as it is told to; and
 * counts how many writes are under way, in all and to one file, and those that were short.
 * Thread-safe.
 */
public final class FlakyDisk implements Disk {
  private final Disk disk;
  // Guarded by itself.
  private final SplittableRandom random;
  private final Map<String, AtomicInteger> writing = new ConcurrentHashMap<>();
  private final AtomicInteger all = new AtomicInteger();
  private final AtomicInteger mostOfAll = new AtomicInteger();
  private final AtomicInteger mostOfOne = new AtomicInteger();
  private volatile boolean failing;
  private final AtomicReference<@Nullable Runnable> beforeWrite = new AtomicReference<>();
  private final AtomicInteger shortWrites = new AtomicInteger();
  private volatile CountDownLatch gathering = new CountDownLatch(0);

  /**
   * @param disk closed with this one
   */
  public FlakyDisk(Disk disk, long seed) {
    this.disk = disk;
    this.random = new SplittableRandom(seed);
  }

  public void fail(boolean now) {
    failing = now;
  }

  /** Has this run before the next write, on its thread. */
  public void beforeNextWrite(Runnable action) {
    beforeWrite.set(action);
  }

  /** Writes of which the disk took less than all, by itself. */
  public int shortWrites() {
    return shortWrites.get();
  }

  /** Has writes wait until so many are under way; they fail if that does not come. */
  public void gather(int writes) {
    gathering = new CountDownLatch(writes);
  }

  private void awaitOthers() throws IOException {
    gathering.countDown();
    try {
      if (!gathering.await(30, TimeUnit.SECONDS)) {
        throw new IOException("the other writes have not come");
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while waiting for other writes");
    }
  }

  /** Writes under way at once. */
  public int mostWrites() {
    return mostOfAll.get();
  }

  /** Those to one file. */
  public int mostWritesOfOneFile() {
    return mostOfOne.get();
  }

  private boolean oneIn(int times) {
    synchronized (random) {
      return failing && random.nextInt(times) == 0;
    }
  }

  @Override
  public String name() {
    return disk.name();
  }

  @Override
  public DiskFile create(String file) throws IOException {
    if (oneIn(8)) {
      if (oneIn(2)) {
        disk.create(file).close();
      }
      throw new IOException("told not to create");
    }
    return disk.create(file);
  }

  @Override
  public DiskFile openForWrite(String file) throws IOException {
    if (oneIn(20)) {
      throw new IOException("told not to open");
    }
    return new FlakyFile(file, disk.openForWrite(file));
  }

  @Override
  public DiskFile openForRead(String file) throws IOException {
    return disk.openForRead(file);
  }

  @Override
  public DiskFile openForAlignedRead(String file) throws IOException {
    return disk.openForAlignedRead(file);
  }

  @Override
  public boolean bypassesPageCache() {
    return disk.bypassesPageCache();
  }

  @Override
  public void forceNames(String folder) throws IOException {
    disk.forceNames(folder);
  }

  @Override
  public List<FileEntry> list(String folder) throws IOException {
    return disk.list(folder);
  }

  @Override
  public boolean holds(String name) throws IOException {
    return disk.holds(name);
  }

  @Override
  public void delete(String file) throws IOException {
    disk.delete(file);
  }

  @Override
  public byte @Nullable [] readSmall(String file) throws IOException {
    return disk.readSmall(file);
  }

  @Override
  public void replaceSmall(String file, byte[] content) throws IOException {
    disk.replaceSmall(file, content);
  }

  @Override
  public long capacity() throws IOException {
    return disk.capacity();
  }

  @Override
  public long free() throws IOException {
    return oneIn(20) ? 1_000 : disk.free();
  }

  @Override
  public int openFiles() {
    return disk.openFiles();
  }

  @Override
  public void close() {
    disk.close();
  }

  private final class FlakyFile implements DiskFile {
    private final AtomicInteger own;
    private final DiskFile file;

    FlakyFile(String name, DiskFile file) {
      this.own = writing.computeIfAbsent(name, n -> new AtomicInteger());
      this.file = file;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      mostOfAll.accumulateAndGet(all.incrementAndGet(), Math::max);
      mostOfOne.accumulateAndGet(own.incrementAndGet(), Math::max);
      try {
        awaitOthers();
        Runnable action = beforeWrite.getAndSet(null);
        if (action != null) {
          action.run();
        }
        if (oneIn(9)) {
          int bytes = oneIn(2) ? source.remaining() : ALIGNMENT;
          file.write(source.duplicate().limit(source.position() + bytes), position);
          throw new IOException("told to fail");
        }
        int wanted = source.remaining();
        int written = file.write(source, position);
        shortWrites.addAndGet(written < wanted ? 1 : 0);
        return written;
      } finally {
        own.decrementAndGet();
        all.decrementAndGet();
      }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void truncate(long length) throws IOException {
      file.truncate(length);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}

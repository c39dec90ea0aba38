package io.sluice.server;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.MapTally;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A disk that is a map. Reads and writes happen on its executor; both can be made to fail. */
final class MemoryStore implements SegmentStore {
  private static final int SPARSE_BYTES = 8 * 1024;

  private int tallies;
  private int leases;
  final List<Unit> units = new ArrayList<>();
  int writesToFail;
  int readsToFail;

  /** Reads that begin at this byte of an extent or beyond it fail. */
  long unreadableFrom = Long.MAX_VALUE;

  ErrorCode readFailure = ErrorCode.DISK_FAILED;
  int reads;
  int stagesToBreak;
  int extentsToBreak;
  long payloadBytes;
  boolean fenced;

  /** What whoever has it synced is given. */
  CompletableFuture<Void> sync = CompletableFuture.completedFuture(null);

  int syncs;

  /** A write that fails fences it, as it does a disk that is watched. */
  boolean fencesItself;

  boolean writesHang;

  /** Where they happen, or when. */
  Executor writer;

  /** Those that are asked for meanwhile wait for {@link #endHang}. */
  boolean readsHang;

  /** Runs while a unit is being filled. */
  Runnable onExtent = () -> {};

  long readerSpread;
  long capacity = 1 << 30;
  long free = 1 << 29;

  /** Run after each look at its room. */
  Runnable looked = () -> {};

  private final String name;
  private final Tier tier;
  private final int unitBytes;
  private final Executor executor;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final List<Runnable> listeners = new ArrayList<>();
  private final Map<Long, byte[]> segments = new HashMap<>();
  private final Map<ShuffleKey, List<Long>> byShuffle = new HashMap<>();
  private final Map<ShuffleKey, List<Extent>> held = new HashMap<>();
  private final Set<Unit> staged = new HashSet<>();
  private final List<Runnable> hung = new ArrayList<>();
  private long nextSegment;
  private int stages;

  MemoryStore(String name, int unitBytes, Executor executor) {
    this(name, Tier.SSD, unitBytes, executor);
  }

  MemoryStore(String name, Tier tier, int unitBytes, Executor executor) {
    this.name = name;
    this.tier = tier;
    this.unitBytes = unitBytes;
    this.executor = executor;
    this.writer = executor;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Tier tier() {
    return tier;
  }

  @Override
  public synchronized Map<ShuffleKey, List<Extent>> recovered() {
    return Map.copyOf(held);
  }

  @Override
  public synchronized @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    if (stagesToBreak > 0) {
      stagesToBreak--;
      throw new IllegalStateException("told to break an invariant");
    }
    if (fenced || staged.size() == 2) {
      waiting.add(onAvailable);
      return null;
    }
    Unit unit = new Unit(this, shuffle);
    staged.add(unit);
    stages++;
    return unit;
  }

  /** How often it gave a staging buffer. */
  synchronized int stages() {
    return stages;
  }

  /** How often whoever waits for a staging buffer was told to. */
  synchronized int waits() {
    return waiting.size();
  }

  /** How many there are of those. */
  synchronized long waiters() {
    return waiting.stream().distinct().count();
  }

  private void unstage(Unit unit) {
    Runnable next;
    synchronized (this) {
      staged.remove(unit);
      next = waiting.poll();
    }
    if (next != null) {
      next.run();
    }
  }

  /** The disk works again. */
  void unfence() {
    List<Runnable> woken;
    synchronized (this) {
      fenced = false;
      woken = new ArrayList<>(waiting);
      waiting.clear();
    }
    woken.addAll(listeners);
    woken.forEach(Runnable::run);
  }

  @Override
  public long readerSpread() {
    return readerSpread;
  }

  @Override
  public void write(UnitBuilder unit, WriteCallback callback) {
    if (!writesHang) {
      writer.execute(() -> writeNow((Unit) unit, callback));
    }
  }

  private void writeNow(Unit unit, WriteCallback callback) {
    List<Extent> extents = null;
    SluiceException failure = null;
    synchronized (this) {
      if (writesToFail > 0) {
        writesToFail--;
        fenced |= fencesItself;
        failure = new SluiceException(ErrorCode.DISK_FAILED, "the write was told to fail");
      } else if (unit.removed) {
        failure = new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "removed while being staged");
      } else {
        byte[] bytes = new byte[unit.buffer.position()];
        unit.buffer.get(0, bytes);
        segments.put(nextSegment, bytes);
        byShuffle.computeIfAbsent(unit.shuffle, s -> new ArrayList<>()).add(nextSegment);
        extents = unit.extents(nextSegment++);
        held.computeIfAbsent(unit.shuffle, s -> new ArrayList<>()).addAll(extents);
        payloadBytes += bytes.length;
        units.add(unit);
      }
    }
    callback.written(extents, failure);
    unstage(unit);
  }

  @Override
  public void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    Extent extent = part.extent();
    Runnable read =
        () -> {
          SluiceException failure = null;
          synchronized (this) {
            reads++;
            byte[] bytes = segments.get(extent.segment());
            if (bytes == null) {
              failure = new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "segment is gone");
            } else if (readsToFail > 0 || offset >= unreadableFrom) {
              readsToFail = Math.max(0, readsToFail - 1);
              failure = new SluiceException(readFailure, "the read was told to fail");
            } else {
              int from = (int) (extent.offset() + offset);
              if (offset < part.start() || offset + target.length() > part.end()) {
                throw new AssertionError("read beyond the part");
              }
              hand(bytes, from, target);
            }
          }
          callback.read(failure);
        };
    if (readsHang) {
      hung.add(read);
    } else {
      executor.execute(read);
    }
  }

  /** The middle of what is read is leased, if it may be, and the rest copied. */
  private void hand(byte[] bytes, int from, ReadTarget target) {
    int third = target.takesLeases() ? target.length() / 3 : 0;
    int start = third == 0 ? target.length() : third;
    target.room(0, start).put(bytes, from, start);
    if (third > 0) {
      ByteBuffer leased = ByteBuffer.allocateDirect(third).put(bytes, from + start, third).clear();
      leases++;
      target.lease(start, leased, () -> leaseEnded(leased));
      int rest = target.length() - start - third;
      target.room(start + third, rest).put(bytes, from + start + third, rest);
    }
  }

  private synchronized void leaseEnded(ByteBuffer leased) {
    leases--;
    leased.put(new byte[leased.capacity()]);
  }

  /** Leases of what was read that have not ended. */
  synchronized int leases() {
    return leases;
  }

  /** What lies here of a partition, as it was written. */
  synchronized List<Extent> extents(ShuffleKey shuffle, int partition) {
    return held.getOrDefault(shuffle, List.of()).stream()
        .filter(extent -> extent.partition() == partition)
        .toList();
  }

  /** Zeroes bytes of an extent. */
  void damage(Extent extent, int offset, int length) {
    overwrite(extent, offset, new byte[length]);
  }

  /** Puts others in the place of bytes of an extent. */
  synchronized void overwrite(Extent extent, int offset, byte[] bytes) {
    System.arraycopy(
        bytes, 0, segments.get(extent.segment()), (int) extent.offset() + offset, bytes.length);
  }

  /** Reads go on that hung. */
  void endHang() {
    readsHang = false;
    hung.forEach(executor::execute);
    hung.clear();
  }

  /** How often a shuffle was looked through. */
  int tallies() {
    return tallies;
  }

  @Override
  public void tally(ShuffleKey shuffle, int maxAttempts, TallyCallback callback) {
    tallies++;
    executor.execute(
        () -> {
          MapTally tally = new MapTally(maxAttempts);
          synchronized (this) {
            byShuffle
                .getOrDefault(shuffle, List.of())
                .forEach(segment -> tally(ByteBuffer.wrap(segments.get(segment)), tally));
          }
          callback.tallied(tally, null);
        });
  }

  private static void tally(ByteBuffer blocks, MapTally into) {
    int at = 0;
    while (at < blocks.limit()) {
      boolean last = BlockHeader.isLast(blocks, at);
      into.add(
          BlockHeader.mapIndex(blocks, at),
          BlockHeader.attemptId(blocks, at),
          1,
          last ? 1 : 0,
          last ? BlockHeader.sequence(blocks, at) + 1L : 0);
      at += BlockHeader.LENGTH + BlockHeader.storedLength(blocks, at);
    }
  }

  @Override
  public synchronized void remove(ShuffleKey shuffle) {
    held.remove(shuffle);
    List<Long> gone = byShuffle.remove(shuffle);
    if (gone != null) {
      gone.forEach(segments::remove);
    }
    staged.stream()
        .filter(unit -> unit.shuffle.equals(shuffle))
        .forEach(unit -> unit.removed = true);
  }

  /** All that lies here. */
  synchronized Set<TestBlock> blocks() {
    Set<TestBlock> blocks = new HashSet<>();
    segments.values().forEach(bytes -> blocks.addAll(TestBlock.parse(ByteBuffer.wrap(bytes))));
    return blocks;
  }

  synchronized int segments() {
    return segments.size();
  }

  synchronized int staged() {
    return staged.size();
  }

  @Override
  public DiskUsage usage() {
    DiskUsage usage =
        new DiskUsage(capacity, free, payloadBytes, payloadBytes, 0, 0, segments(), !fenced);
    looked.run();
    return usage;
  }

  @Override
  public DiskHealth health() {
    return new DiskHealth(fenced ? "fenced by the test" : null, 0);
  }

  @Override
  public void onHealthChange(Runnable listener) {
    listeners.add(listener);
  }

  @Override
  public CompletableFuture<Void> sync() {
    syncs++;
    return sync;
  }

  @Override
  public void close() {}

  /** A unit being staged. */
  static final class Unit implements UnitBuilder {
    final ShuffleKey shuffle;
    private final MemoryStore store;
    private final ByteBuffer buffer;
    private boolean removed;
    private int blockStart;
    private final List<Part> parts = new ArrayList<>();

    Unit(MemoryStore store, ShuffleKey shuffle) {
      this.store = store;
      this.shuffle = shuffle;
      this.buffer = ByteBuffer.allocate(store.unitBytes);
    }

    List<Integer> partitions() {
      return parts.stream().map(part -> part.partition).toList();
    }

    @Override
    public int remaining() {
      return buffer.remaining();
    }

    @Override
    public ByteBuffer beginExtent(int partition) {
      if (store.extentsToBreak > 0 && --store.extentsToBreak == 0) {
        throw new IllegalStateException("told to break an invariant");
      }
      if (!parts.isEmpty() && parts.get(parts.size() - 1).partition >= partition) {
        throw new AssertionError("partitions must ascend");
      }
      store.onExtent.run();
      parts.add(new Part(partition, buffer.position()));
      blockStart = buffer.position();
      return buffer;
    }

    @Override
    public void endBlock() {
      parts.get(parts.size() - 1).block(BlockHeader.mapIndex(buffer, blockStart), blockStart);
      blockStart = buffer.position();
    }

    @Override
    public void endExtent() {
      parts.get(parts.size() - 1).end = buffer.position();
    }

    @Override
    public void discard() {
      store.unstage(this);
    }

    List<Extent> extents(long segment) {
      return parts.stream().map(part -> part.extent(segment)).toList();
    }
  }

  private static final class Part {
    private final int partition;
    private final int start;
    private final List<Integer> sparseMaps = new ArrayList<>();
    private final List<Integer> sparseOffsets = new ArrayList<>();
    private int end;
    private int blocks;
    private int firstMap = Integer.MAX_VALUE;
    private int lastMap = -1;

    Part(int partition, int start) {
      this.partition = partition;
      this.start = start;
    }

    void block(int map, int position) {
      if (map < lastMap) {
        throw new AssertionError("maps must not descend");
      }
      int offset = position - start;
      int indexed = sparseOffsets.isEmpty() ? -SPARSE_BYTES : sparseOffsets.get(blocksIndexed());
      if (map != lastMap && offset - indexed >= SPARSE_BYTES) {
        sparseMaps.add(map);
        sparseOffsets.add(offset);
      }
      blocks++;
      firstMap = Math.min(firstMap, map);
      lastMap = map;
    }

    private int blocksIndexed() {
      return sparseOffsets.size() - 1;
    }

    Extent extent(long segment) {
      return new Extent(
          partition,
          segment,
          start,
          end - start,
          blocks,
          firstMap,
          lastMap,
          sparseMaps.stream().mapToInt(Integer::intValue).toArray(),
          sparseOffsets.stream().mapToInt(Integer::intValue).toArray());
    }
  }
}

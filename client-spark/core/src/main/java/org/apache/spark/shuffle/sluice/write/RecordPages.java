package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.shuffle.sluice.write.DrainCount.Why;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * Serialised records of one map task, waiting to be sorted and pushed: pages and entries that
 * Spark's task memory manager granted.
 *
 * <p>A record lies in a page as a big-endian length (four bytes) and its bytes; its entry is its
 * partition, its page and its offset there ({@link PageSorter#entry}). Memory runs out in two ways:
 * the bound on buffered bytes is reached, or the manager refuses. Both make room by draining, that
 * is by handing everything to the {@link Drain} and starting over; after the first the pages are
 * kept. A record longer than the bound is pushed from where it lies. Another consumer of the same
 * task may ask for memory while upstream code runs between two appends; then everything is drained
 * and given back.
 *
 * <p>Looks wrong, is intentional: {@link #spill} answers 0 to our own requests, since {@link
 * #makeRoom} drains itself once it is refused, when no half-made change is on the stack; and to
 * requests from other threads (a Python runner's, say), since nothing here is synchronised.
 */
final class RecordPages extends RecordMemory implements RecordSink, AutoCloseable {
  /** Bytes before each record: its length. */
  static final int PREFIX = 4;

  private static final int OFFSET_BITS = 27;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;
  private static final int MAX_PAGES = 1 << (PageSorter.ADDRESS_BITS - OFFSET_BITS);
  private static final long MAX_SHARED_PAGE = 1L << OFFSET_BITS;
  private static final long FIRST_PAGE_BYTES = 64 << 10;

  /**
   * G1 puts an array of half a region or more straight into the old generation, and as soon as that
   * is filled to its threshold every such array starts a marking of the whole heap. Its regions are
   * 1 MiB at least (JEP 248), so pages stay well under half of that, unless the buffer is so large
   * that there would be more than {@link #PAGES_AT_BOUND} of them.
   */
  private static final long PAGE_BYTES = 256 << 10;

  private static final int PAGES_AT_BOUND = 512;
  private static final int FIRST_ENTRIES = 4096;
  // Entries are sorted into a second array of the same size, reserved along with the first.
  private static final long ENTRY_BYTES = 16;
  private static final long[] NONE = {};
  private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private final TaskMemoryManager memory;
  private final long largestPage;
  private final BufferBounds bounds;
  private final Drain drain;
  private final Thread owner = Thread.currentThread();
  private final List<MemoryBlock> pages = new ArrayList<>();
  private final long[] partitionBytes;
  private final DrainCount drained = new DrainCount();

  private long[] entries = NONE;
  private long[] sorted = NONE;
  private int count;
  private int currentPage = -1;
  private @Nullable Object pageBase;
  private long pageOrigin;
  private long cursor;
  private long pageEnd;
  private boolean draining;

  /** Takes what is buffered; called on the task's thread, must not acquire task memory. */
  interface Drain {
    /** Pushes every record of {@code pages}, which are forgotten when this returns. */
    void drain(RecordPages pages) throws IOException;

    /** Pushes a record that is longer than all that may be buffered, and was not. */
    void pushAlone(int partition, @Nullable Object base, long offset, int length)
        throws IOException;
  }

  /**
   * @param arrays lends what pages and entries are in
   * @param bounds pages are drained once they would hold more
   */
  RecordPages(
      TaskMemoryManager memory,
      TaskArrays arrays,
      int partitions,
      BufferBounds bounds,
      Drain drain) {
    super(memory, arrays);
    this.memory = memory;
    this.largestPage =
        Math.min(
            Math.min(memory.pageSizeBytes(), MAX_SHARED_PAGE),
            Math.max(PAGE_BYTES, Long.highestOneBit(bounds.memory() / PAGES_AT_BOUND)));
    this.bounds = bounds;
    this.drain = drain;
    this.partitionBytes = new long[partitions];
  }

  /**
   * Appends a copy of a record.
   *
   * @param base object or null, as {@link Platform} has it
   */
  @Override
  public void append(int partition, @Nullable Object base, long offset, int length)
      throws IOException {
    long whole = (long) PREFIX + length;
    if (whole > pageEnd - cursor || count == entries.length) {
      if (whole > bounds.memory()) {
        pushAlone(partition, base, offset, length);
        return;
      }
      makeRoom(whole);
    }
    long at = cursor;
    putLength(pageBase, at, length);
    Platform.copyMemory(base, offset, pageBase, at + PREFIX, length);
    long address = ((long) currentPage << OFFSET_BITS) | (at - pageOrigin);
    entries[count++] = PageSorter.entry(partition, address);
    partitionBytes[partition] += whole;
    cursor = at + whole;
  }

  /** A record that would be drained as soon as it was copied to a page is not copied. */
  private void pushAlone(int partition, @Nullable Object base, long offset, int length)
      throws IOException {
    drainFor(Why.OURS);
    draining = true;
    try {
      drain.pushAlone(partition, base, offset, length);
    } finally {
      draining = false;
    }
  }

  int count() {
    return count;
  }

  /** The page of a sorted entry. */
  @Nullable Object base(long entry) {
    return pages.get(pageIndex(entry)).getBaseObject();
  }

  /** Where a sorted entry's record begins, prefix included, within {@link #base}. */
  long offset(long entry) {
    return pages.get(pageIndex(entry)).getBaseOffset() + (entry & OFFSET_MASK);
  }

  /** Writes a record's prefix. */
  static void putLength(@Nullable Object base, long offset, int length) {
    Platform.putInt(base, offset, SWAP ? Integer.reverseBytes(length) : length);
  }

  /** The length that the prefix at this place states. */
  static int length(@Nullable Object base, long offset) {
    int length = Platform.getInt(base, offset);
    return SWAP ? Integer.reverseBytes(length) : length;
  }

  /** Bytes buffered for a partition, prefixes included. */
  long bytes(int partition) {
    return partitionBytes[partition];
  }

  /**
   * Entries in order of partition; valid until the next append.
   *
   * @throws SparkOutOfMemoryError if the heap has less than Spark granted
   */
  long[] sort(PageSorter sorter) {
    if (sorted.length < entries.length) {
      giveBackSorted();
      long[] taken = takeGranted(entries.length);
      if (taken == null) {
        throw refused((long) entries.length * Long.BYTES);
      }
      sorted = taken;
    }
    sorter.sort(entries, count, sorted);
    return sorted;
  }

  /** Drains what is left. */
  void finish() throws IOException {
    drainFor(Why.OURS);
  }

  /** Most memory ever held, in bytes. */
  long peakBytes() {
    drained.held(heldBytes());
    return drained.peakBytes();
  }

  /** Bytes drained before the end because Spark had no more memory, not for a bound of ours. */
  long spilledBytes() {
    return drained.spilledBytes();
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) throws IOException {
    if (trigger == this || draining || Thread.currentThread() != owner) {
      return 0;
    }
    long before = getUsed();
    drainFor(Why.SPARKS);
    release();
    return before - getUsed();
  }

  private void makeRoom(long whole) throws IOException {
    if (count == entries.length && !growEntries()) {
      drainFor(mayGrowEntries() ? Why.SPARKS : Why.OURS);
      // All of it, at our own bound too: records may have become smaller, and want more entries.
      release();
      if (!growEntries()) {
        throw refused(FIRST_ENTRIES * ENTRY_BYTES);
      }
    }
    if (whole <= pageEnd - cursor || useNextPage(whole)) {
      return;
    }
    // Whoever refuses a page, Spark or a bound, those that are held are used again.
    Why why = count > 0 && hasRoomFor(Math.max(whole, pageSize())) ? Why.SPARKS : Why.OURS;
    drainFor(why);
    if (!useNextPage(whole)) {
      if (why == Why.OURS) {
        drainFor(Why.SPARKS);
      }
      release();
      if (!growEntries() || !useNextPage(whole)) {
        throw refused(whole);
      }
    }
  }

  private boolean growEntries() {
    int more = moreEntries();
    long[] grown = mayGrowEntries() ? take(entries.length + more, more * ENTRY_BYTES) : null;
    if (grown == null) {
      return false;
    }
    long[] outgrown = entries;
    System.arraycopy(outgrown, 0, grown, 0, count);
    entries = grown;
    giveBackGranted(outgrown);
    return true;
  }

  private int moreEntries() {
    return entries.length == 0 ? FIRST_ENTRIES : entries.length;
  }

  /** Whether bounds of ours allow it; that of memory does not count for the first. */
  private boolean mayGrowEntries() {
    return entries.length == 0
        || (entries.length < Integer.MAX_VALUE / 4 && !isOverBound(moreEntries() * ENTRY_BYTES));
  }

  /** Goes to a page with room, an idle one of ours or a new one; false if that needs a drain. */
  private boolean useNextPage(long whole) {
    int next = currentPage + 1;
    if (next < pages.size() && pages.get(next).size() >= whole) {
      enter(next, whole);
      return true;
    }
    long size = Math.max(whole, pageSize());
    // Those from here on are empty, and too small: one that fits takes the place of some.
    while (pages.size() > next && !hasRoomFor(size)) {
      giveBack(pages.remove(pages.size() - 1));
    }
    if (pages.size() == MAX_PAGES || (count > 0 && !hasRoomFor(size))) {
      return false;
    }
    MemoryBlock page = takePage(size);
    if (page == null) {
      return false;
    }
    pages.add(next, page);
    enter(next, whole);
    return true;
  }

  /** Pages double up to the largest, so that small maps touch little memory. */
  private long pageSize() {
    long last = pages.isEmpty() ? 0 : pages.get(pages.size() - 1).size();
    return Math.min(largestPage, Math.max(FIRST_PAGE_BYTES, 2 * last));
  }

  private boolean hasRoomFor(long page) {
    return pages.size() < MAX_PAGES && !isOverBound(page) && pageBytes() + page <= bounds.records();
  }

  private boolean isOverBound(long more) {
    return heldBytes() + more > bounds.memory();
  }

  /**
   * Goes to a page for a record of so many bytes. An entry has room for offsets below {@link
   * #MAX_SHARED_PAGE}, so a page longer than that, made for one long record, is shared up to there
   * only, and not at all behind that record.
   */
  private void enter(int index, long whole) {
    MemoryBlock page = pages.get(index);
    currentPage = index;
    pageBase = page.getBaseObject();
    pageOrigin = page.getBaseOffset();
    cursor = pageOrigin;
    pageEnd = pageOrigin + Math.min(page.size(), Math.max(MAX_SHARED_PAGE, whole));
  }

  /** Drains everything, and keeps what it lay in. */
  private void drainFor(Why why) throws IOException {
    drained.drained(heldBytes(), why);
    if (count > 0) {
      draining = true;
      try {
        drain.drain(this);
      } finally {
        draining = false;
      }
      count = 0;
      Arrays.fill(partitionBytes, 0);
    }
    currentPage = -1;
    cursor = 0;
    pageEnd = 0;
  }

  /** Gives everything back; only when drained or given up. */
  private void release() {
    // Forgotten first: what fails in between must not give one back twice, to two tasks.
    while (!pages.isEmpty()) {
      giveBack(pages.remove(pages.size() - 1));
    }
    pageBase = null;
    currentPage = -1;
    cursor = 0;
    pageEnd = 0;
    long[] unused = entries;
    entries = NONE;
    giveBack(unused, unused.length * ENTRY_BYTES);
    giveBackSorted();
    count = 0;
  }

  private void giveBackSorted() {
    long[] unused = sorted;
    sorted = NONE;
    giveBackGranted(unused);
  }

  /** What Spark throws itself when a page is refused: the task fails, the executor lives. */
  private Error refused(long bytes) {
    memory.showMemoryUsage();
    // The one constructor, and one of its messages, that all lines of Spark have.
    return new SparkOutOfMemoryError(
        "UNABLE_TO_ACQUIRE_MEMORY",
        Map.of("requestedBytes", Long.toString(bytes), "receivedBytes", "0"));
  }

  @Override
  public void close() {
    drained.held(heldBytes());
    release();
  }

  private static int pageIndex(long entry) {
    return (int) ((entry & PageSorter.ADDRESS_MASK) >>> OFFSET_BITS);
  }
}

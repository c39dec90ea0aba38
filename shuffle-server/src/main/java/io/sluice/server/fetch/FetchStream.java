package io.sluice.server.fetch;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.server.damage.LookWait;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.PartitionSnapshot;
import io.sluice.server.partition.RunCursor;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.TransportLimits;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One answer to a fetch. On the connection's event loop.
 *
 * <p>Partitions are looked at in order, a few works ahead of what is being sent. The look fixes the
 * partition's list of blocks: for each run in memory a cursor, for each extent the ranges to read.
 * Where a block is, is decided when it is sent: a run that was flushed meanwhile goes on as the
 * rest of its extent. Disks are read ahead by a few buffers ({@link ReadsAhead}), and not further
 * ahead of others who read the same than memory reaches.
 *
 * <p>A partition that is about to be looked through for damage is waited for: what hides behind
 * damage now can be read then. Only for so long in all, since the look may be long.
 *
 * <p>What a disk does not give is left out: the rest is sent, and the failure told in the end. If a
 * block was begun it stays broken off, and so does its partition, since pieces of a partition have
 * to add up to whole blocks; what else there is of it comes first when the reader asks again.
 */
final class FetchStream {
  /** How many works are looked up before they can be sent. */
  private static final int WORKS_AHEAD = 16;

  /** What became of a step. */
  enum Step {
    SENT,
    /** It waits for credit, for a disk, or for a look at one. */
    BLOCKED,
    /** It waits for room for a lease, and keeps its place in line. */
    AWAITS_LEASE,
    /** The turn is over, and there is more to look at. */
    INTERRUPTED,
    ENDED
  }

  private final FetchRequest request;
  private final Shuffle shuffle;
  private final MapRange maps;
  private final StreamOutput output;
  private final Works works = new Works();
  // Those of the partition before the next one that are not among the works yet.
  private ExtentQueue extents = ExtentQueue.empty();
  private int nextPartition;
  private long credit;
  private final ReadsAhead reads;
  private final UnreadExtents unread = new UnreadExtents();
  private long blocks;
  private long bytes;
  private @Nullable StreamLease lease;
  // At the next partition, under way or over.
  private @Nullable LookWait look;
  // Nanoseconds that it may still wait for looks.
  private long patience = LookWait.MAX_NANOS;
  private boolean closed;

  FetchStream(FetchRequest request, Shuffle shuffle, StreamOutput output) {
    this.request = request;
    this.shuffle = shuffle;
    this.maps = new MapRange(request.firstMap(), request.endMap());
    this.output = output;
    this.reads = new ReadsAhead(this, output);
    this.nextPartition = request.firstPartition();
    this.credit = request.credit();
  }

  int id() {
    return request.stream();
  }

  ApplicationId application() {
    return shuffle.key().application();
  }

  FetchedRange range() {
    return new FetchedRange(shuffle.key(), request.firstPartition(), request.endPartition());
  }

  void addCredit(long more) {
    credit += more;
  }

  /** Sends at most one piece, or the end. */
  Step step(Turn turn) {
    Step step = advance(turn);
    if (lease != null && step != Step.AWAITS_LEASE) {
      lease.settle();
    }
    return step;
  }

  private Step advance(Turn turn) {
    while (turn.spend()) {
      int issued;
      do {
        if (!lookAhead(turn)) {
          return fail(ErrorCode.UNKNOWN_SHUFFLE, "shuffle " + shuffle.key() + " was removed");
        }
        issued = reads.count();
        readAhead();
      } while (reads.count() > issued && reads.mayGoOn());
      Work head = works.head();
      if (head == null && nextPartition < endPartition()) {
        return look != null && !look.over() ? Step.BLOCKED : Step.INTERRUPTED;
      }
      if (head == null) {
        if (!unread.isEmpty()) {
          return fail(unread.code(), unread.message());
        }
        output.ended(id(), blocks, bytes);
        close();
        return Step.ENDED;
      }
      Step step =
          head instanceof MemoryWork memory ? stepMemory(memory) : stepExtent((ExtentWork) head);
      if (step != null) {
        return step;
      }
    }
    return Step.INTERRUPTED;
  }

  private int endPartition() {
    return Math.min(request.endPartition(), shuffle.endPartition());
  }

  /** False if the shuffle was removed under way. */
  private boolean lookAhead(Turn turn) {
    int end = endPartition();
    while (works.size() < WORKS_AHEAD && (!extents.isEmpty() || nextPartition < end)) {
      if (!extents.isEmpty()) {
        if (!reads.mayGoOn() || works.hasUnread()) {
          // Which extent comes next is decided when it can be read.
          return true;
        }
        works.add(extents.next());
        continue;
      }
      if (!turn.spend()) {
        return true;
      }
      int there = shuffle.afterGap(nextPartition);
      if (there > nextPartition) {
        nextPartition = there;
        continue;
      }
      PartitionBuffer partition = shuffle.find(nextPartition);
      if (partition != null) {
        if (awaitLook(partition)) {
          return true;
        }
        PartitionSnapshot snapshot = partition.snapshot(maps);
        // Looked at after the snapshot: a removal hides before it empties.
        if (shuffle.removed()) {
          return false;
        }
        for (RunCursor cursor : snapshot.runs()) {
          works.add(new MemoryWork(nextPartition, cursor));
        }
        List<StoredExtent> stored = snapshot.extents();
        Passage passage = output.join(this, partition, maps, stored);
        extents = new ExtentQueue(nextPartition, maps, stored, passage);
      }
      nextPartition++;
    }
    return true;
  }

  /** Goes on waiting for looks, or begins to; false if there is nothing to wait for. */
  private boolean awaitLook(PartitionBuffer partition) {
    LookWait last = look;
    if (last != null) {
      if (!last.over()) {
        return true;
      }
      patience -= last.nanos();
      look = null;
    }
    if (patience > 0) {
      look = output.awaitLook(this, partition, patience);
    }
    return look != null;
  }

  private @Nullable Step stepMemory(MemoryWork work) {
    if (credit == 0) {
      return Step.BLOCKED;
    }
    int max = (int) Math.min(credit, TransportLimits.MAX_DATA_BYTES);
    RunCursor cursor = work.cursor();
    StreamLease right = lease();
    OutgoingData data = cursor.next(max, output.pieces(), right.line());
    if (data != null) {
      send(work.partition(), data);
      return Step.SENT;
    }
    if (cursor.refused() > 0) {
      return stepUnleased(work, right);
    }
    works.removeHead();
    blocks += cursor.blocksPassed();
    if (cursor.flushed()) {
      StoredExtent stored = cursor.stored();
      if (stored == null) {
        return fail(ErrorCode.UNKNOWN_SHUFFLE, "shuffle " + shuffle.key() + " was removed");
      }
      // Reads are in the order of works, or the head could wait for buffers that wait for it.
      works.takeBackReads();
      reads.giveUpAll();
      works.putFirst(
          ExtentWork.ofRemainder(
              work.partition(), stored, cursor.remainder(), cursor.blocksLeft(), cursor.begun()));
    }
    return null;
  }

  /** There is no room for a lease. What has been read from a disk needs none, and goes first. */
  private @Nullable Step stepUnleased(MemoryWork work, StreamLease right) {
    if (!work.cursor().begun() && works.nextExtentIsThere()) {
      works.putHeadLast();
      return null;
    }
    return right.await(work.cursor()) ? null : Step.AWAITS_LEASE;
  }

  private StreamLease lease() {
    StreamLease right = lease;
    if (right == null) {
      right = output.lease(this);
      lease = right;
    }
    return right;
  }

  /** There may be room for a lease, and this stream has not stepped: others may. */
  void giveBackUnused() {
    if (lease != null) {
      lease.giveBackUnused();
    }
  }

  private @Nullable Step stepExtent(ExtentWork work) {
    if (work.finished()) {
      blocks += work.blocks();
      works.removeHead();
      return null;
    }
    PendingRead read = work.first();
    if (read == null && unread.givesUp(work.source().store())) {
      unread.addUntried();
      return skip(work);
    }
    work.awaitsDisk(read != null && !read.done());
    if (read == null || !read.done()) {
      return Step.BLOCKED;
    }
    Throwable failure = read.failure();
    if (failure != null) {
      return failRead(work, failure);
    }
    if (credit == 0) {
      return Step.BLOCKED;
    }
    unread.succeeded(work.source().store());
    int length = (int) Math.min(Math.min(read.unsent(), credit), TransportLimits.MAX_DATA_BYTES);
    int from = read.sent();
    work.sent(read, from, length);
    OutgoingData data = read.buffer().piece(from, length);
    read.sent(length);
    boolean all = read.unsent() == 0;
    reads.sent(length, all);
    if (all) {
      work.removeFirst();
    }
    send(work.partition(), data);
    return Step.SENT;
  }

  private void send(int partition, OutgoingData data) {
    credit -= data.length();
    bytes += data.length();
    output.data(id(), partition, data);
  }

  private void readAhead() {
    long before = 0;
    for (Work work : works) {
      if (work instanceof MemoryWork memory) {
        before += memory.cursor().bytesAhead();
      } else if (!readAhead((ExtentWork) work, before)) {
        return;
      }
    }
  }

  private boolean readAhead(ExtentWork work, long before) {
    return unread.givesUp(work.source().store()) || reads.begin(work, credit, before);
  }

  private @Nullable Step failRead(ExtentWork work, Throwable failure) {
    ErrorCode code = UnreadExtents.codeOf(failure);
    String where =
        "reading partition "
            + work.partition()
            + " of shuffle "
            + shuffle.key()
            + " from "
            + work.source().store().name()
            + ": "
            + failure.getMessage();
    if (shuffle.removed()) {
      return fail(ErrorCode.UNKNOWN_SHUFFLE, where);
    }
    if (!UnreadExtents.isOfTheDisk(code)) {
      return fail(code, where);
    }
    work.source().doubt();
    unread.add(work.source().store(), code, where);
    return skip(work);
  }

  /** Leaves the rest of the head out. */
  private @Nullable Step skip(ExtentWork head) {
    works.removeHead();
    reads.giveUp(head);
    head.skip();
    if (head.begun()) {
      unread.brokeOff(leave(head.partition(), head.source().store()));
    }
    return unread.isTooMuch() ? fail(unread.code(), unread.message()) : null;
  }

  /**
   * Leaves out what has not been sent of a partition; false if there is nothing. What the disk that
   * is to blame has of it is in doubt, or it would break off the next time, too.
   */
  private boolean leave(int partition, SegmentStore blamed) {
    boolean any = false;
    for (Iterator<Work> all = works.iterator(); all.hasNext(); ) {
      Work work = all.next();
      if (work.partition() == partition) {
        all.remove();
        if (work instanceof ExtentWork extent) {
          reads.giveUp(extent);
          if (extent.source().store() == blamed) {
            extent.source().doubt();
          }
        }
        work.close();
        any = true;
      }
    }
    if (!extents.isEmpty() && extents.partition() == partition) {
      extents.doubt(blamed);
      extents.close();
      extents = ExtentQueue.empty();
      any = true;
    }
    return any;
  }

  private Step fail(ErrorCode code, String message) {
    output.failed(id(), code, message);
    close();
    return Step.ENDED;
  }

  boolean closed() {
    return closed;
  }

  void close() {
    closed = true;
    if (look != null) {
      look.close();
    }
    works.close();
    extents.close();
    if (lease != null) {
      lease.close();
    }
  }
}

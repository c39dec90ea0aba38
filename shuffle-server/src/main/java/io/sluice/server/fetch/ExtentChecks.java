package io.sluice.server.fetch;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through the extents of partitions that readers complain of, and cuts those off before the
 * damage in which a header hides what comes behind it (docs/failures.md, "A damaged extent"). What
 * a reader says is a reason to look, and no more.
 *
 * <p>Bounded, whoever complains: one partition at a time, with one read under way and one buffer;
 * and an extent whose headers were found well is not read again. Thread-safe; reads are the
 * stores', and all else runs on the executor.
 */
public final class ExtentChecks {
  private static final Logger log = LoggerFactory.getLogger(ExtentChecks.class);

  /** Partitions that wait; those complained of beyond are forgotten until somebody does again. */
  static final int WAITING_MAX = 1024;

  static final int BUFFER_BYTES = 64 << 10;

  private final Executor executor;
  private final ServerStats stats;

  // Guarded by this.
  private final Map<PartitionBuffer, ShuffleKey> waiting = new LinkedHashMap<>();
  private boolean looking;

  // Of the check under way; made when there is a first one.
  private @Nullable ByteBuffer buffer;

  /**
   * @param executor where what was read is looked at: no event loop, though it never blocks
   */
  public ExtentChecks(Executor executor, ServerStats stats) {
    this.executor = executor;
    this.stats = stats;
  }

  /**
   * A reader came upon damage in a partition, or says so. Any thread; only takes note.
   *
   * @param partition any number
   */
  void complaint(Shuffle shuffle, int partition) {
    boolean possible = partition >= 0 && partition < Shuffle.MAX_PARTITIONS;
    PartitionBuffer there = possible ? shuffle.find(partition) : null;
    if (there == null) {
      return;
    }
    synchronized (this) {
      if (waiting.size() < WAITING_MAX) {
        waiting.putIfAbsent(there, shuffle.key());
      }
      if (looking) {
        return;
      }
      looking = true;
    }
    execute(this::next);
  }

  /** Whether a partition is being looked through, or waits for that. */
  synchronized boolean looking() {
    return looking;
  }

  /** The server's end also ends the checks. */
  private void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException stopped) {
      log.debug("the server ends: no extents are looked through", stopped);
    }
  }

  private void next() {
    PartitionBuffer partition;
    ShuffleKey shuffle;
    synchronized (this) {
      Iterator<Map.Entry<PartitionBuffer, ShuffleKey>> first = waiting.entrySet().iterator();
      if (!first.hasNext()) {
        looking = false;
        return;
      }
      Map.Entry<PartitionBuffer, ShuffleKey> entry = first.next();
      partition = entry.getKey();
      shuffle = entry.getValue();
      first.remove();
    }
    Check check = new Check(shuffle, partition);
    check.run(check::goOn);
  }

  private ByteBuffer buffer() {
    ByteBuffer made = buffer;
    if (made == null) {
      made = ByteBuffer.allocateDirect(BUFFER_BYTES);
      buffer = made;
    }
    return made;
  }

  /** Of one partition. A step at a time. */
  private final class Check {
    private final ShuffleKey shuffle;
    private final PartitionBuffer partition;
    private final Iterator<StoredExtent> left;
    private @Nullable StoredExtent source;
    private @Nullable HeaderWalk walk;
    private boolean failed;

    Check(ShuffleKey shuffle, PartitionBuffer partition) {
      this.shuffle = shuffle;
      this.partition = partition;
      this.left =
          partition.snapshot(MapRange.ALL).extents().stream()
              .filter(extent -> !extent.knownWhole())
              .iterator();
    }

    void run(Runnable step) {
      if (failed) {
        return;
      }
      try {
        step.run();
      } catch (RuntimeException e) {
        // A thread's edge: other partitions are looked through all the same. A read may be under
        // way, which is heard no more and keeps its buffer.
        failed = true;
        buffer = null;
        log.error("looking through partition {} of {} failed", partition.partition(), shuffle, e);
        execute(ExtentChecks.this::next);
      }
    }

    /** Reads what comes next, if anything does. */
    void goOn() {
      StoredExtent current = source;
      HeaderWalk way = walk;
      while (way == null || current == null || way.wants(BUFFER_BYTES) == 0) {
        if (way != null && current != null) {
          conclude(current, way);
        }
        if (!left.hasNext()) {
          execute(ExtentChecks.this::next);
          return;
        }
        current = left.next();
        way = new HeaderWalk(current.extent());
        source = current;
        walk = way;
      }
      HeaderWalk reading = way;
      ByteBuffer target = buffer().clear().limit(way.wants(BUFFER_BYTES));
      ExtentPart all = ExtentPart.all(current.extent());
      current
          .store()
          .read(
              all,
              way.next(),
              target,
              failure -> execute(() -> run(() -> landed(reading, target, failure))));
    }

    /** What cannot be read is no matter of headers: readers are sent what comes behind it. */
    private void landed(HeaderWalk reading, ByteBuffer bytes, @Nullable Throwable failure) {
      if (failure == null) {
        reading.look(bytes.flip());
      } else {
        log.debug(
            "partition {} of {}: not looked through", partition.partition(), shuffle, failure);
        walk = null;
      }
      goOn();
    }

    private void conclude(StoredExtent extent, HeaderWalk way) {
      if (way.damage() == null) {
        extent.foundWhole();
      } else if (partition.cut(extent, beginning(extent, way))) {
        stats.extentCut();
        log.warn(
            "shuffle {}, partition {}: cut off after {} bytes, for readers do not find what comes"
                + " behind: {}: {}",
            shuffle,
            partition.partition(),
            way.next(),
            BlockPlaces.describe(extent),
            way.damage());
      }
    }

    private @Nullable StoredExtent beginning(StoredExtent extent, HeaderWalk way) {
      Extent reached = way.reached();
      if (reached == null) {
        return null;
      }
      StoredExtent beginning = new StoredExtent(extent.store(), reached);
      beginning.foundWhole();
      return beginning;
    }
  }
}

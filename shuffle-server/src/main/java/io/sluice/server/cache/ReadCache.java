package io.sluice.server.cache;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.cache.Window.Part;
import io.sluice.server.disk.ReadOptions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of one disk. A range that is wanted is read together with its neighbours into a window;
 * whoever wants bytes of a window that is there, under way or waiting shares it; a bounded number
 * of windows is read at a time, first come first served; filled ones stay until their memory is
 * needed. See docs/read-path.md for the arithmetic.
 *
 * <p>The disk writes into windows past the page cache, and readers lease what they want of them, so
 * that no byte is copied on its way to the socket. How much of the memory may be leased is bounded
 * ({@link WindowLeases}); beyond that readers get copies, which hold no window, so that slow ones
 * never take from others what these need to go on.
 *
 * <p>If a window cannot be read, what its readers wanted is read for each alone: a bad sector must
 * cost only those who asked for it.
 */
public final class ReadCache {
  private static final Logger log = LoggerFactory.getLogger(ReadCache.class);

  private final ReadOptions options;
  private final String disk;
  private final Predicate<Runnable> lane;
  private final WindowTable table;
  private final WindowLeases leases;
  private final ReadCounters counters = new ReadCounters();
  // Guarded by this, like the table.
  private final ArrayDeque<Window> waiting = new ArrayDeque<>();
  // Windows that could not be read, while what was wanted of them is read for each alone.
  private final Set<Window> retried = new HashSet<>();
  private int loading;
  private int requests;

  /** Told once how a read ended, when the target is the caller's again. */
  @FunctionalInterface
  public interface Completion {
    /** Must not throw. */
    void ended(@Nullable SluiceException failure);
  }

  /**
   * @param disk name for people
   * @param lane runs a task on a thread of the disk; false if it takes no more
   */
  public ReadCache(ReadOptions options, String disk, Predicate<Runnable> lane) {
    this.options = options;
    this.disk = disk;
    this.lane = lane;
    this.table = new WindowTable(options);
    this.leases = new WindowLeases(options, table, this);
  }

  /**
   * Reads as many bytes as the target wants.
   *
   * @param source kept in place by the caller until the completion
   * @param target belongs to the cache until the completion, but for its leases
   * @param completion may run before this returns, then on the caller's thread
   */
  public void read(ReadSource source, ReadRange range, ReadTarget target, Completion completion) {
    int length = target.length();
    ReadRequest request = new ReadRequest(target, range.position(), e -> end(completion, e));
    List<Share> there;
    synchronized (this) {
      requests++;
      there = requests > options.maxWaiting() ? null : look(source, range, length, request);
    }
    if (there == null) {
      request.partEnded(refused());
      return;
    }
    counters.asked(length);
    issue();
    for (Share share : there) {
      hand(share);
      handed(share);
      counters.hit(share.part.length());
      share.part.request().partEnded(null);
    }
    request.partEnded(null);
  }

  /** A part of a filled window, which stays filled until it is handed over. */
  private record Share(Window window, Part part, boolean leased) {}

  /** Finds or makes a window for each byte; what is there is shared. */
  private List<Share> look(ReadSource source, ReadRange range, int length, ReadRequest request) {
    List<Share> there = new ArrayList<>(1);
    long end = range.position() + length;
    long at = range.position();
    while (at < end) {
      Window window = table.find(source.number(), at);
      if (window == null) {
        window = table.cover(source, at, end, range);
        if (!window.queued) {
          window.queued = true;
          waiting.add(window);
        }
      }
      window.wanted(range);
      Part part = new Part(request, at, (int) (Math.min(end, window.end) - at));
      request.addPart();
      if (window.state == Window.State.READY) {
        table.hold(window);
        there.add(share(window, part));
      } else {
        window.await(part);
      }
      at += part.length();
    }
    return there;
  }

  private Share share(Window window, Part part) {
    boolean leased = part.request().takesLeases() && leases.begin(window, part.length());
    return new Share(window, part, leased);
  }

  /** Whatever it costs is not done under the lock. */
  private void hand(Share share) {
    Part part = share.part;
    int offset = (int) (part.position() - share.window.start);
    ByteBuffer memory = share.window.memory();
    if (share.leased) {
      ByteBuffer bytes = memory.slice(offset, part.length());
      part.request().lease(part.position(), bytes, leases.leaseOf(share.window));
    } else {
      part.request().room(part.position(), part.length()).put(0, memory, offset, part.length());
      counters.copied(part.length());
    }
  }

  private void end(Completion completion, @Nullable SluiceException failure) {
    synchronized (this) {
      requests--;
    }
    completion.ended(failure);
  }

  /** The bytes are the reader's: who has a lease goes on using the window. */
  private void handed(Share share) {
    boolean stuck;
    Window ahead;
    synchronized (this) {
      share.window.usedBytes += share.part.length();
      table.letGo(share.window);
      stuck = !waiting.isEmpty();
      ahead = lookAhead(share.window);
    }
    if (ahead != null) {
      start(ahead);
    }
    if (stuck) {
      issue();
    }
  }

  /**
   * While the disk has nothing better to do, what follows is read before anyone waits for it. To be
   * called while somebody still holds the window's source.
   */
  private @Nullable Window lookAhead(Window used) {
    if (!waiting.isEmpty() || loading >= options.threads()) {
      return null;
    }
    Window ahead = table.ahead(used);
    if (ahead != null) {
      loads(ahead);
    }
    return ahead;
  }

  /** Begins as many loads as there are threads and memory for. */
  private void issue() {
    boolean refused = true;
    while (refused) {
      refused = false;
      for (Window window : startable()) {
        refused |= !start(window);
      }
    }
  }

  private boolean start(Window window) {
    boolean started = lane.test(() -> load(window));
    if (!started) {
      abandon(window, closed());
    }
    return started;
  }

  private synchronized List<Window> startable() {
    List<Window> started = new ArrayList<>(1);
    while (loading < options.threads() && !waiting.isEmpty()) {
      Window window = waiting.element();
      if (!table.place(window)) {
        break;
      }
      waiting.remove();
      loads(window);
      started.add(window);
    }
    return started;
  }

  private void loads(Window window) {
    window.state = Window.State.LOADING;
    window.source.retain();
    loading++;
  }

  /** On a thread of the disk. */
  private void load(Window window) {
    SluiceException failure = null;
    try {
      ByteBuffer bytes = table.bytesOf(window);
      window.bytes = bytes;
      window.source.readWindow(window.start, bytes.duplicate());
      counters.loaded(window.length());
    } catch (RuntimeException e) {
      failure = coded(e);
    }
    if (failure == null) {
      deliver(window);
    } else {
      readEach(window);
    }
    window.source.release();
    issue();
  }

  private void deliver(Window window) {
    List<Share> shares;
    synchronized (this) {
      window.state = Window.State.READY;
      shares = window.takeWaiting().stream().map(part -> share(window, part)).toList();
      table.hold(window);
      loading--;
    }
    long bytes = 0;
    for (Share share : shares) {
      hand(share);
      bytes += share.part.length();
    }
    Window ahead;
    synchronized (this) {
      window.usedBytes += bytes;
      table.letGo(window);
      ahead = lookAhead(window);
    }
    if (ahead != null) {
      start(ahead);
    }
    shares.forEach(share -> share.part.request().partEnded(null));
  }

  /** The window could not be read; maybe what was wanted of it can. */
  private void readEach(Window window) {
    synchronized (this) {
      table.drop(window);
      retried.add(window);
    }
    for (Part part = nextOf(window); part != null; part = nextOf(window)) {
      SluiceException failure = null;
      try {
        window.source.readExactly(
            part.position(), part.request().room(part.position(), part.length()));
        counters.loaded(part.length());
      } catch (RuntimeException e) {
        failure = coded(e);
      }
      part.request().partEnded(failure);
    }
  }

  private synchronized @Nullable Part nextOf(Window window) {
    Part part = window.pollWaiting();
    if (part == null) {
      retried.remove(window);
      loading--;
    }
    return part;
  }

  /** A thread's edge: readers must hear of a bug too, or they wait for ever. */
  private SluiceException coded(RuntimeException failure) {
    if (failure instanceof SluiceException coded) {
      return coded;
    }
    log.error("{}: broken invariant", disk, failure);
    return new SluiceException(ErrorCode.INTERNAL_ERROR, "disk " + disk + ": " + failure, failure);
  }

  private void abandon(Window window, SluiceException why) {
    List<Part> parts;
    synchronized (this) {
      parts = window.takeWaiting();
      table.drop(window);
      loading--;
    }
    parts.forEach(part -> part.request().partEnded(why));
    window.source.release();
  }

  /**
   * Ends all reads that have not been served. Loads under way go on, since nobody can stop them,
   * and may fill their windows in the end; so does the second try of a read under way, whose bytes
   * are the reader's.
   */
  public void failWaiting(SluiceException why) {
    List<Part> parts = new ArrayList<>();
    synchronized (this) {
      for (Window window : waiting) {
        parts.addAll(window.takeWaiting());
        table.drop(window);
      }
      waiting.clear();
      for (Window window : table.all()) {
        parts.addAll(window.takeWaiting());
      }
      for (Window window : retried) {
        parts.addAll(window.takeWaiting());
      }
    }
    parts.forEach(part -> part.request().partEnded(why));
  }

  /** A byte of a file. */
  public record Place(long source, long position) {}

  /**
   * Which of several places a reader that needs them all takes next: one whose byte is in memory;
   * else, as long as the disk could do more than it does, one that nobody has asked for, so that
   * readers of neighbours do not all wait for the same window; else one that is being read.
   *
   * @return an index, the first of its kind; -1 if none of them is there or on its way
   */
  public synchronized int firstAtHand(List<Place> places) {
    boolean idle = loading + waiting.size() < options.threads();
    int underWay = -1;
    int fresh = -1;
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      Window window = table.find(place.source, place.position);
      if (window == null) {
        fresh = fresh < 0 ? i : fresh;
      } else if (window.state == Window.State.READY) {
        return i;
      } else if (underWay < 0) {
        underWay = i;
      }
    }
    return idle && fresh >= 0 ? fresh : underWay;
  }

  /** Frees the windows of a file that nobody reads or will read. */
  public synchronized void forget(long source) {
    table.of(source).forEach(table::drop);
  }

  /** Ends what waits; to be called when the lane runs nothing more. */
  public void close() {
    failWaiting(closed());
  }

  private SluiceException refused() {
    return new SluiceException(
        ErrorCode.TOO_MANY_STREAMS, "disk " + disk + ": too many reads are waiting");
  }

  private SluiceException closed() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + disk + " is closed");
  }

  /** A look at what it does. */
  public ReadActivity activity() {
    synchronized (this) {
      return counters.activity(
          new ReadActivity.Now(
              requests,
              loading,
              leases.bytes(),
              table.memoryUsed(),
              table.memoryCapacity(),
              table.prefetchSize()));
    }
  }
}

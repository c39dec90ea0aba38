package io.sluice.server.cache;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.ReadOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All windows of a disk: where they are, which memory they have, which goes next. Windows of a file
 * never overlap, so a byte is in memory once. Confined to the cache's lock.
 *
 * <p>Evicted first is what was consumed, the longest unused first; then the rest likewise.
 */
final class WindowTable {
  private final int windowMax;
  private final int gapMax;
  private final WindowMemory memory;
  // Around extents that are wanted whole, and around parts of them.
  private final Prefetch prefetch;
  private final Prefetch partsPrefetch;
  private final Map<Long, TreeMap<Long, Window>> bySource = new HashMap<>();
  // Filled windows that nobody holds, in order of last use.
  private final LinkedHashSet<Window> consumed = new LinkedHashSet<>();
  private final LinkedHashSet<Window> fresh = new LinkedHashSet<>();

  WindowTable(ReadOptions options) {
    windowMax = options.window();
    gapMax = options.gap();
    memory = new WindowMemory(options.window(), options.cache());
    prefetch = new Prefetch(options.window());
    partsPrefetch = new Prefetch(options.window());
  }

  /** The window that holds or will hold a byte. */
  @Nullable Window find(long source, long position) {
    TreeMap<Long, Window> windows = bySource.get(source);
    Map.Entry<Long, Window> below = windows == null ? null : windows.floorEntry(position);
    return below != null && below.getValue().covers(position) ? below.getValue() : null;
  }

  /**
   * Makes a window, or extends one that waits close by, so that it covers a byte which none covers.
   *
   * @param wantedTo end of the bytes wanted now
   * @return the window, WAITING; not queued if it is a new one
   */
  Window cover(ReadSource source, long position, long wantedTo, ReadRange range) {
    NavigableMap<Long, Window> windows = mapOf(source);
    Window before = valueOf(windows.lowerEntry(position));
    Window after = valueOf(windows.higherEntry(position));
    long start = alignDown(position);
    long end = alignUp(Math.max(wantedTo, Math.min(range.wantedEnd(), position + windowMax)));
    Prefetch around = range.whole() ? prefetch : partsPrefetch;
    int cell = around.size();
    long ownEnd = end;
    if (cell > 0) {
      start = range.unitStart() + (position - range.unitStart()) / cell * cell;
      end = Math.max(end, start + cell);
    }
    start = Math.max(start, before == null ? range.unitStart() : before.end);
    end = Math.min(end, Math.min(range.unitEnd(), after == null ? Long.MAX_VALUE : after.start));
    end = Math.min(end, start + windowMax);
    if (before != null && joins(before, start, end, range)) {
      before.end = end;
      return before;
    }
    if (after != null && joins(after, start, end, range)) {
      windows.remove(after.start);
      after.start = start;
      windows.put(start, after);
      return after;
    }
    Window.Stretch unit = new Window.Stretch(range.unitStart(), range.unitEnd());
    long own = Math.min(end, ownEnd) - alignDown(position);
    Window window = new Window(source, unit, start, end, neighbours(around, own));
    windows.put(start, window);
    return window;
  }

  /**
   * What follows a window in its unit, once half of it has been wanted: what is left of the extent
   * or of the part that is being read, and of the next cell if neighbours of such are wanted as
   * well. It gets no memory but what is free or was consumed: to evict what was not is for those
   * who wait.
   *
   * @return a window with memory; null if nothing is to be read ahead
   */
  @Nullable Window ahead(Window used) {
    if (used.lookedAhead || !used.halfUsed()) {
      return null;
    }
    long start = used.end;
    long end = aheadTo(used);
    TreeMap<Long, Window> windows = bySource.get(used.source.number());
    if (start >= end || windows == null || find(used.source.number(), start) != null) {
      used.lookedAhead = true;
      return null;
    }
    Window after = valueOf(windows.higherEntry(start));
    end = after == null ? end : Math.min(end, after.start);
    long own = Math.min(end, alignUp(used.wantedEnd())) - start;
    Prefetch around = used.neighbours.prefetch();
    Window window = new Window(used.source, used.unit, start, end, neighbours(around, own));
    if (!place(window, false)) {
      return null;
    }
    // What made room may have been the last window of this file, and its map gone with it.
    mapOf(used.source).put(start, window);
    used.lookedAhead = true;
    return window;
  }

  private long aheadTo(Window used) {
    long start = used.end;
    long end = Math.min(alignUp(used.wantedEnd()), start + windowMax);
    int cell = prefetch.size();
    if (used.neighbours.prefetch() == prefetch && cell > 0) {
      end = Math.max(end, start + cell - (start - used.unit.start()) % cell);
    }
    return Math.min(end, used.unit.end());
  }

  /** All of a window is neighbours where whole extents are read, small ones side by side. */
  private Window.Neighbourhood neighbours(Prefetch around, long own) {
    int known = around == prefetch ? 0 : (int) Math.max(0, own);
    return new Window.Neighbourhood(around, around.size(), known);
  }

  private NavigableMap<Long, Window> mapOf(ReadSource source) {
    return bySource.computeIfAbsent(source.number(), number -> new TreeMap<>());
  }

  /** Whether a window that still waits is close enough to take in a range. */
  private boolean joins(Window near, long start, long end, ReadRange range) {
    if (near.state != Window.State.WAITING || near.start < range.unitStart()) {
      return false;
    }
    long gap = Math.max(start - near.end, near.start - end);
    long length = Math.max(end, near.end) - Math.min(start, near.start);
    return gap <= gapMax && length <= windowMax && near.end <= range.unitEnd();
  }

  private static @Nullable Window valueOf(Map.@Nullable Entry<Long, Window> entry) {
    return entry == null ? null : entry.getValue();
  }

  private static long alignDown(long position) {
    return position & -Disk.ALIGNMENT;
  }

  private static long alignUp(long position) {
    return (position + Disk.ALIGNMENT - 1) & -Disk.ALIGNMENT;
  }

  /** Gives a window memory, evicting others; false if what is in use leaves no room. */
  boolean place(Window window) {
    return place(window, true);
  }

  private boolean place(Window window, boolean evictFresh) {
    int offset = memory.allocate(window.length());
    while (offset < 0) {
      Window victim = oldest(consumed);
      victim = victim == null && evictFresh ? oldest(fresh) : victim;
      if (victim == null) {
        return false;
      }
      victim.retired();
      drop(victim);
      offset = memory.allocate(window.length());
    }
    window.memoryOffset = offset;
    return true;
  }

  /** The memory of a window that was placed; needs no lock, and may take milliseconds. */
  ByteBuffer bytesOf(Window window) {
    return memory.bytes(window.memoryOffset, window.length());
  }

  private static @Nullable Window oldest(Iterable<Window> windows) {
    Iterator<Window> all = windows.iterator();
    return all.hasNext() ? all.next() : null;
  }

  /** Keeps a window where it is until {@link #letGo}. */
  void hold(Window window) {
    if (window.users++ == 0) {
      fresh.remove(window);
      consumed.remove(window);
    }
  }

  /** Ends a {@link #hold}: with the last one the window may be evicted. */
  void letGo(Window window) {
    if (--window.users > 0) {
      return;
    }
    if (window.dropped) {
      giveBack(window);
    } else {
      (window.consumed() ? consumed : fresh).add(window);
    }
  }

  /** Forgets a window, and takes its memory back, or has it taken back once nobody uses it. */
  void drop(Window window) {
    fresh.remove(window);
    consumed.remove(window);
    TreeMap<Long, Window> windows = bySource.get(window.source.number());
    if (windows != null && windows.remove(window.start, window) && windows.isEmpty()) {
      bySource.remove(window.source.number());
    }
    window.dropped = true;
    if (window.users == 0) {
      giveBack(window);
    }
  }

  private void giveBack(Window window) {
    if (window.memoryOffset >= 0) {
      memory.giveBack(window.memoryOffset, window.length());
      window.memoryOffset = -1;
      window.bytes = null;
    }
  }

  /** The windows of a file. */
  List<Window> of(long source) {
    TreeMap<Long, Window> windows = bySource.get(source);
    return windows == null ? List.of() : new ArrayList<>(windows.values());
  }

  List<Window> all() {
    List<Window> all = new ArrayList<>();
    bySource.values().forEach(windows -> all.addAll(windows.values()));
    return all;
  }

  int memoryUsed() {
    return memory.used();
  }

  int memoryCapacity() {
    return memory.capacity();
  }

  int prefetchSize() {
    return prefetch.size();
  }
}

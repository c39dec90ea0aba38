package io.sluice.server.catalog;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A catalog in memory that outlives the store over it, as the real one outlives a process.
 * Thread-safe.
 */
public final class SimulatedCatalog implements UnitCatalog {
  private final SortedMap<UnitKey, byte[]> units = new TreeMap<>();
  private final Set<Removal> removals = new LinkedHashSet<>();
  // Records that were dropped, which power loss brings back.
  private final SortedMap<UnitKey, byte[]> unsyncedDrops = new TreeMap<>();
  private long bytesWritten;
  private int failingPuts;
  private int failingDrops;
  // Why it takes nothing.
  private @Nullable ErrorCode stuck;
  private int failingProbes;
  private int brokenProbes;
  private @Nullable Runnable duringPut;
  private int failingEndRemovals;
  private int brokenRemovals;
  private int corruptRemovals;
  private int tidied;
  private @Nullable ErrorCode failingTidy;
  private @Nullable Runnable duringTidy;
  private int failingScans;
  private boolean unreadable;
  private @Nullable Runnable duringScan;
  private @Nullable Runnable duringFullScan;

  /** The next records are refused. */
  public synchronized void failPuts(int count) {
    failingPuts = count;
  }

  /**
   * From the next record on it takes none, nor any removal, until it is probed: as RocksDB when a
   * write to its log has failed.
   *
   * @param probes that find the disk still broken
   */
  public synchronized void stick(int probes) {
    stuck = ErrorCode.DISK_FAILED;
    failingProbes = probes;
  }

  /** The same, as RocksDB when it has met damage as it merged its files. */
  public synchronized void stickOfDamage() {
    stuck = ErrorCode.CORRUPT_CATALOG;
  }

  /** The next probes find the catalog in a state that must not be. */
  public synchronized void breakProbes(int count) {
    brokenProbes = count;
  }

  /** The next records stay where they are to be dropped. */
  public synchronized void failDrops(int count) {
    failingDrops = count;
  }

  private void requireNotStuck() {
    if (stuck != null) {
      throw new SluiceException(stuck, "simulated background error");
    }
  }

  @Override
  public synchronized void probe() {
    if (brokenProbes > 0) {
      brokenProbes--;
      throw new IllegalStateException("simulated bug");
    }
    if (failingProbes > 0) {
      failingProbes--;
      throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog cannot be opened");
    }
    stuck = null;
  }

  /** What happens while the next record is being put. */
  public synchronized void duringNextPut(Runnable happening) {
    duringPut = happening;
  }

  /** The next ends of removals are not recorded. */
  public synchronized void failEndRemovals(int count) {
    failingEndRemovals = count;
  }

  /** What happens while a single segment is scanned next. */
  public synchronized void duringNextScan(Runnable happening) {
    duringScan = happening;
  }

  /** What happens when the next scan of all records has shown one. */
  public synchronized void duringNextFullScan(Runnable happening) {
    duringFullScan = happening;
  }

  /** The next scans of single segments fail. */
  public synchronized void failScans(int count) {
    failingScans = count;
  }

  /** Scans of all records fail from now on. */
  public synchronized void failFullScans() {
    unreadable = true;
  }

  /** The next removals find the catalog in a state that must not be. */
  public synchronized void breakRemovals(int count) {
    brokenRemovals = count;
  }

  /** The next removals meet a damaged record. */
  public synchronized void corruptRemovals(int count) {
    corruptRemovals = count;
  }

  /** How often it was tidied, well or not. */
  public synchronized int tidied() {
    return tidied;
  }

  /** The next time that it is tidied fails. */
  public synchronized void failTidy(ErrorCode code) {
    failingTidy = code;
  }

  /** What happens while it is tidied next. */
  public synchronized void duringNextTidy(Runnable happening) {
    duringTidy = happening;
  }

  @Override
  public synchronized void tidy() {
    tidied++;
    Runnable happening = duringTidy;
    duringTidy = null;
    if (happening != null) {
      happening.run();
    }
    ErrorCode code = failingTidy;
    failingTidy = null;
    if (code != null) {
      throw new SluiceException(code, "simulated catalog was not tidied");
    }
  }

  /** A process dies while it notes a removal: the records of units are still there. */
  public synchronized void noteRemoval(Removal removal) {
    removals.add(removal);
  }

  /** All records are lost. */
  public synchronized void lose() {
    units.clear();
    removals.clear();
  }

  /** The record of the last unit of the last segment is lost. */
  public synchronized void loseLast() {
    units.remove(units.lastKey());
  }

  public synchronized int units() {
    return units.size();
  }

  /** A second catalog with the same records. */
  public synchronized SimulatedCatalog copy() {
    SimulatedCatalog copy = new SimulatedCatalog();
    copy.units.putAll(units);
    copy.removals.addAll(removals);
    return copy;
  }

  @Override
  public synchronized void put(long segment, long offset, ByteBuffer header) {
    requireNotStuck();
    Runnable happening = duringPut;
    duringPut = null;
    if (happening != null) {
      happening.run();
    }
    if (failingPuts > 0) {
      failingPuts--;
      throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog failure");
    }
    byte[] record = new byte[header.remaining()];
    header.duplicate().get(record);
    units.put(new UnitKey(segment, offset), record);
    bytesWritten += record.length;
  }

  @Override
  public synchronized void drop(long segment, long offset) {
    if (failingDrops > 0) {
      failingDrops--;
      throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog failure");
    }
    UnitKey key = new UnitKey(segment, offset);
    byte[] record = units.remove(key);
    if (record != null) {
      unsyncedDrops.put(key, record);
    }
  }

  @Override
  public synchronized void sync() {
    unsyncedDrops.clear();
  }

  /** Single records that were dropped since the last sync are there again, as they were. */
  public synchronized void losePower() {
    units.putAll(unsyncedDrops);
    unsyncedDrops.clear();
  }

  @Override
  public synchronized void beginRemoval(Collection<Removal> segments) {
    requireNotStuck();
    if (brokenRemovals > 0) {
      brokenRemovals--;
      throw new IllegalStateException("simulated bug");
    }
    if (corruptRemovals > 0) {
      corruptRemovals--;
      throw new SluiceException(ErrorCode.CORRUPT_CATALOG, "simulated damaged record");
    }
    removals.addAll(segments);
    segments.forEach(removal -> units.keySet().removeIf(key -> key.segment() == removal.segment()));
  }

  @Override
  public synchronized void endRemoval(Collection<Removal> segments) {
    requireNotStuck();
    if (failingEndRemovals > 0) {
      failingEndRemovals--;
      throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog failure");
    }
    removals.removeAll(segments);
  }

  @Override
  public void scan(Visitor visitor) {
    List<Removal> removing;
    Map<UnitKey, byte[]> records;
    AtomicReference<@Nullable Runnable> happening;
    synchronized (this) {
      happening = new AtomicReference<>(duringFullScan);
      duringFullScan = null;
      if (unreadable) {
        throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog failure");
      }
      removing = List.copyOf(removals);
      records = new TreeMap<>(units);
    }
    removing.forEach(visitor::removing);
    records.forEach(
        (key, record) -> {
          visitor.unit(key.segment(), key.offset(), ByteBuffer.wrap(record));
          Runnable next = happening.getAndSet(null);
          if (next != null) {
            next.run();
          }
        });
  }

  @Override
  public void scan(long segment, Visitor visitor) {
    Map<UnitKey, byte[]> records;
    Runnable happening;
    synchronized (this) {
      happening = duringScan;
      duringScan = null;
    }
    if (happening != null) {
      happening.run();
    }
    synchronized (this) {
      if (failingScans > 0) {
        failingScans--;
        throw new SluiceException(ErrorCode.DISK_FAILED, "simulated catalog cannot be read");
      }
      records = new TreeMap<>(units);
    }
    records.forEach(
        (key, record) -> {
          if (key.segment() == segment) {
            visitor.unit(segment, key.offset(), ByteBuffer.wrap(record));
          }
        });
  }

  @Override
  public synchronized long bytesWritten() {
    return bytesWritten;
  }

  @Override
  public void close() {
    // The records stay for the next store.
  }

  private record UnitKey(long segment, long offset) implements Comparable<UnitKey> {
    @Override
    public int compareTo(UnitKey other) {
      int bySegment = Long.compare(segment, other.segment);
      return bySegment != 0 ? bySegment : Long.compare(offset, other.offset);
    }
  }
}

package io.sluice.simulation.disk;

import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.StoreParts;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.ProcessKilled;
import io.sluice.simulation.time.SimProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One disk, which outlives the processes that use it, and its temper. */
public final class ServerDisk {
  /** What it has done wrong. */
  public enum Fault {
    FAILED_WRITE,
    /** The first pages reach the disk, the next do not. */
    PARTIAL_WRITE,
    /** Nor can what it left be cut off. */
    UNCUT_WRITE,
    REFUSED_RECORD,
    /** The process dies within it. */
    TORN_WRITE,
    /** Less than a tenth is left, or nothing: stores look for another disk before that. */
    FULL,
    FAILED_READ,
    /** A bit. */
    ROT,
    /** Pages are zeros: units or parts of them, and so neighbouring extents of many partitions. */
    ZEROED_PAGES,
    /** What comes of some of the others. */
    FENCE
  }

  private static final List<Fault> FAILURES =
      List.of(Fault.FAILED_WRITE, Fault.PARTIAL_WRITE, Fault.UNCUT_WRITE, Fault.REFUSED_RECORD);

  // A few units, as small ones are here.
  private static final int FEWEST_PAGES = 4;
  private static final int MOST_PAGES = 64;

  // As many as the largest units have.
  private static final int MOST_ZEROED_PAGES = 16;
  private static final double ZEROED_OF_ROTTEN = 0.4;
  private static final long AMPLE_BYTES = 1L << 30;

  private final SimulatedDisk disk;
  private final SimulatedCatalog catalog = new SimulatedCatalog();
  private final Dice dice;
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private DiskFaults faults;
  private boolean torn;
  private boolean hidesDamage;

  public ServerDisk(String name, Dice dice, DiskFaults faults) {
    this.dice = dice;
    this.faults = faults;
    boolean small = dice.chance(faults.small());
    int pages = (int) dice.skewed(FEWEST_PAGES, MOST_PAGES);
    this.disk = new SimulatedDisk(name, small ? (long) pages * Disk.ALIGNMENT : AMPLE_BYTES);
  }

  /** What a new process finds. */
  public Disk restarted() {
    disk.restart();
    disarm();
    torn = false;
    hidesDamage = false;
    return disk;
  }

  /** The store over it; before it, {@link #restarted} was called for the process. */
  public LocalSegmentStore openStore(SimProcess process, DiskOptions options, long incarnation) {
    beginCatalog();
    SimDiskQueue queue =
        new SimDiskQueue(this, process, options.readThreads(), options.maxQueuedReads());
    LocalSegmentStore store =
        LocalSegmentStore.openWatched(
            new StoreParts(disk, catalog, queue),
            options,
            incarnation,
            new DiskTimer(this, process));
    store.onHealthChange(
        () -> {
          if (!store.health().healthy()) {
            count(Fault.FENCE, process);
          }
        });
    return store;
  }

  /** The catalog proper lies beside the disk; here is what a server looks for of it. */
  private void beginCatalog() {
    try {
      disk.replaceSmall("catalog/CURRENT", new byte[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** No faults from here on, and room enough; what has rotted stays so. */
  public void heal() {
    disk.grow(AMPLE_BYTES);
    faults = faults.healed();
    disarm();
  }

  private void disarm() {
    disk.faults().failReads(0);
    disk.faults().failWrites(0);
    disk.faults().failTruncates(0);
    catalog.failPuts(0);
  }

  /** How often each fault was armed. */
  public Map<Fault, Integer> counts() {
    return counts;
  }

  /** Segment files that exist. */
  public List<String> segments() {
    return disk.files().stream().filter(file -> file.startsWith("segments/")).toList();
  }

  /** Units in the catalog. */
  public int units() {
    return catalog.units();
  }

  long delay() {
    return dice.skewed(1, faults.maxDelayNanos());
  }

  private boolean happens(Fault fault, double probability, SimProcess process) {
    boolean happens = dice.chance(probability);
    if (happens) {
      count(fault, process);
    }
    return happens;
  }

  private void count(Fault fault, SimProcess process) {
    counts.merge(fault, 1, Integer::sum);
    process.events().trace().note(process.events().nanoTime(), disk.name(), fault.name());
  }

  void beforeRead(SimProcess process) {
    if (happens(Fault.FAILED_READ, faults.readError(), process)) {
      // What was read for several is tried again for each: once is noticed by nobody.
      disk.faults().failReads(dice.between(1, 4));
    }
  }

  void beforeWrite(SimProcess process) {
    disk.faults().limitWriteSize(Disk.ALIGNMENT * dice.between(1, 64));
    Fault failure = dice.pick(FAILURES);
    if (happens(failure, faults.writeError(), process)) {
      fail(failure);
    }
    if (happens(Fault.TORN_WRITE, faults.death(), process)) {
      int pages = dice.between(0, 20);
      disk.faults()
          .dieInNextWrite(
              page -> {
                torn = true;
                if (page >= pages) {
                  throw new ProcessKilled();
                }
                return true;
              });
    }
  }

  private void fail(Fault failure) {
    switch (failure) {
      case FAILED_WRITE -> disk.faults().failWrites(1);
      case REFUSED_RECORD -> catalog.failPuts(1);
      case UNCUT_WRITE -> {
        failPart();
        disk.faults().failTruncates(1);
      }
      default -> failPart();
    }
  }

  private void failPart() {
    // A unit has two pages at least.
    disk.faults().limitWriteSize(Disk.ALIGNMENT);
    disk.faults().failWritesAfter(1, 1);
  }

  /** A probe writes too: a death that no unit came to may be waiting for it. */
  void afterChore() {
    dieIfTorn();
  }

  private void dieIfTorn() {
    if (torn) {
      // Every page of the write is there, and nothing that was to follow it.
      throw new ProcessKilled();
    }
  }

  private boolean isFull() {
    try {
      return disk.free() < disk.capacity() / 10;
    } catch (IOException dead) {
      return false;
    }
  }

  void afterWrite(SimProcess process) {
    if (isFull()) {
      count(Fault.FULL, process);
    }
    dieIfTorn();
    List<String> segments = segments();
    if (!segments.isEmpty() && dice.chance(faults.rot())) {
      String file = dice.pick(segments);
      int length = disk.length(file);
      if (length > 0) {
        rot(file, length, process);
      }
    }
  }

  private void rot(String file, int length, SimProcess process) {
    if (dice.chance(ZEROED_OF_ROTTEN)) {
      count(Fault.ZEROED_PAGES, process);
      int pages = length / Disk.ALIGNMENT;
      int first = dice.between(0, pages - 1);
      int zeroed = Math.min(pages - first, (int) dice.skewed(1, MOST_ZEROED_PAGES));
      hides(file, first * Disk.ALIGNMENT, zeroed * Disk.ALIGNMENT);
      disk.zero(file, first * Disk.ALIGNMENT, zeroed * Disk.ALIGNMENT);
    } else {
      count(Fault.ROT, process);
      int position = dice.between(0, length - 1);
      hides(file, position, 1);
      disk.flip(file, position, 1 << dice.between(0, Byte.SIZE - 1));
    }
  }

  private void hides(String file, int position, int length) {
    hidesDamage |= disk.wasRead(file, position, length);
  }

  /**
   * Whether bytes have become bad that the process had read before: its read cache may give the
   * good ones to one reader and, once it has let them go, not to the next.
   */
  public boolean hidesDamage() {
    return hidesDamage;
  }

  @Override
  public String toString() {
    return disk.name();
  }
}

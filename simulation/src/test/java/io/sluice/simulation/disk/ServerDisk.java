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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One disk, which outlives the processes that use it, and its temper. */
public final class ServerDisk {
  /** What it has done wrong. */
  public enum Fault {
    WRITE_ERROR,
    READ_ERROR,
    ROT,
    DEATH
  }

  private final SimulatedDisk disk;
  private final SimulatedCatalog catalog = new SimulatedCatalog();
  private final Dice dice;
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private DiskFaults faults;
  private boolean torn;

  public ServerDisk(String name, long capacity, Dice dice, DiskFaults faults) {
    this.disk = new SimulatedDisk(name, capacity);
    this.dice = dice;
    this.faults = faults;
  }

  /** What a new process finds. */
  public Disk restarted() {
    disk.restart();
    disarm();
    torn = false;
    return disk;
  }

  /** The store over it; before it, {@link #restarted} was called for the process. */
  public LocalSegmentStore openStore(SimProcess process, DiskOptions options, long incarnation) {
    SimDiskQueue queue =
        new SimDiskQueue(this, process, options.readThreads(), options.maxQueuedReads());
    return LocalSegmentStore.openWatched(
        new StoreParts(disk, catalog, queue), options, incarnation, new DiskTimer(this, process));
  }

  /** No faults from here on; what has rotted stays so. */
  public void heal() {
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
      counts.merge(fault, 1, Integer::sum);
      process.events().trace().note(process.events().nanoTime(), disk.name(), fault.name());
    }
    return happens;
  }

  void beforeRead(SimProcess process) {
    if (happens(Fault.READ_ERROR, faults.readError(), process)) {
      disk.faults().failReads(1);
    }
  }

  void beforeWrite(SimProcess process) {
    disk.faults().limitWriteSize(Disk.ALIGNMENT * dice.between(1, 64));
    if (happens(Fault.WRITE_ERROR, faults.writeError(), process)) {
      switch (dice.between(0, 2)) {
        case 0 -> disk.faults().failWrites(1);
        case 1 -> catalog.failPuts(1);
        default -> {
          disk.faults().failWrites(1);
          disk.faults().failTruncates(1);
        }
      }
    }
    if (happens(Fault.DEATH, faults.death(), process)) {
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

  void afterWrite(SimProcess process) {
    if (torn) {
      // Every page of the write is there, and nothing that was to follow it.
      throw new ProcessKilled();
    }
    List<String> segments = segments();
    if (!segments.isEmpty() && happens(Fault.ROT, faults.rot(), process)) {
      String file = dice.pick(segments);
      int length = disk.length(file);
      if (length > 0) {
        disk.flip(file, dice.between(0, length - 1), 1 << dice.between(0, Byte.SIZE - 1));
      }
    }
  }

  @Override
  public String toString() {
    return disk.name();
  }
}

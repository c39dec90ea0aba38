package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings catalog and segments of a disk together at start, as docs/storage-format.md ("Recovery")
 * lays down. Runs once, on the thread that opens the store, before anything else uses it.
 *
 * <p>Others may be able to make files where segments lie (on HDFS, where they belong to users). So
 * a name proves nothing: a file that may not be opened, or that has the number of a segment, is
 * left alone and costs nobody else's data.
 *
 * <p>Nor does a file that cannot be read, cut or deleted: what is known of it stays, what is not is
 * left as it is for the next start. What could not be looked at counts as lost until then, since
 * nobody can tell what is in it. A disk fails as a whole only where its folder or its catalog does.
 */
final class SegmentRecovery {
  private static final Logger log = LoggerFactory.getLogger(SegmentRecovery.class);

  private final Disk disk;
  private final UnitCatalog catalog;
  private final SegmentTable table;
  private final boolean synced;
  private final Crc32c crc = new Crc32c();
  private final UnitScanner scanner = new UnitScanner();
  private final Map<Long, List<FoundFile>> files = new TreeMap<>();
  private final Set<Removal> removals = new LinkedHashSet<>();
  private final List<UnitPlace> removed = new ArrayList<>();
  private final List<UnitPlace> lost = new ArrayList<>();
  private final List<String> keptTails = new ArrayList<>();
  private final List<String> unknownFiles = new ArrayList<>();
  private final Map<ShuffleKey, List<Extent>> extents = new ConcurrentHashMap<>();
  private int units;
  private int replayedUnits;
  private int holes;
  private long cutBytes;
  private int unlinkedSegments;
  private int unreadFiles;

  /**
   * @param synced whether what is found survives power loss
   */
  SegmentRecovery(Disk disk, UnitCatalog catalog, SegmentTable table, boolean synced) {
    this.disk = disk;
    this.catalog = catalog;
    this.table = table;
    this.synced = synced;
  }

  /**
   * @throws SluiceException CORRUPT_CATALOG if the catalog contradicts itself, DISK_FAILED
   */
  Recovered run() {
    try {
      listFiles();
      catalog.scan(new CatalogVisitor());
      // In a directory that has vanished no file is found either, and all would count as lost.
      disk.check();
      finishRemovals();
      dropLostUnits();
      for (List<FoundFile> sameNumber : files.values()) {
        recoverOne(sameNumber);
      }
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "disk " + disk.name() + " cannot be recovered", e);
    }
    RecoveryReport report = report();
    log.info("{}: {}", disk.name(), report);
    return new Recovered(extents, report);
  }

  private void listFiles() throws IOException {
    for (Disk.FileEntry entry : disk.list(SegmentFileName.FOLDER)) {
      SegmentFileName name = SegmentFileName.parse(entry.name());
      if (name == null) {
        leaveAlone(entry.name(), "it is not a segment", null);
      } else {
        files
            .computeIfAbsent(name.number(), number -> new ArrayList<>(1))
            .add(new FoundFile(name, entry));
      }
    }
  }

  private void leaveAlone(String file, String why, @Nullable IOException failure) {
    log.warn("{}: {} is left alone: {}", disk.name(), file, why, failure);
    unknownFiles.add(file);
  }

  private void leaveAlone(FoundFile file, String why, @Nullable IOException failure) {
    leaveAlone(file.name().file(), why, failure);
    table.avoid(file.name().number());
  }

  private void keepTail(FoundFile file, String why, @Nullable IOException failure) {
    log.warn(
        "{}: what is behind the units of {} stays: {}",
        disk.name(),
        file.name().path(),
        why,
        failure);
    keptTails.add(file.name().file());
  }

  private void finishRemovals() throws IOException {
    if (removals.isEmpty()) {
      return;
    }
    // Of removals that a crash has cut short.
    removed.forEach(unit -> catalog.drop(unit.segment(), unit.offset()));
    List<Removal> gone = new ArrayList<>();
    for (Removal removal : removals) {
      if (finish(removal)) {
        gone.add(removal);
      }
    }
    // Nor is one there to unlink.
    disk.check();
    catalog.endRemoval(gone);
  }

  /** Whether no file is left of it. Those of other shuffles are none of its. */
  private boolean finish(Removal removal) throws IOException {
    List<FoundFile> sameNumber = files.getOrDefault(removal.segment(), List.of());
    ShuffleKey shuffle = removal.shuffle();
    boolean all = true;
    for (FoundFile file : List.copyOf(sameNumber)) {
      if (shuffle == null || shuffle.equals(file.name().shuffle())) {
        all &= unlink(file);
        sameNumber.remove(file);
      }
    }
    return all;
  }

  /** What stays is still marked as being removed. */
  private boolean unlink(FoundFile file) throws IOException {
    try {
      disk.delete(file.name().path());
      unlinkedSegments++;
      return true;
    } catch (IOException e) {
      requireDisk(e);
      log.warn("{}: {} stays until the next start", disk.name(), file.name().path(), e);
      return false;
    }
  }

  /** A disk that is not there any more is no matter of one file. */
  private void requireDisk(IOException failure) throws IOException {
    try {
      disk.check();
    } catch (IOException e) {
      e.addSuppressed(failure);
      throw e;
    }
  }

  private void dropLostUnits() {
    for (UnitPlace unit : lost) {
      log.warn(
          "{}: segment {} ends before its unit at {}: lost",
          disk.name(),
          unit.segment(),
          unit.offset());
      catalog.drop(unit.segment(), unit.offset());
    }
  }

  /** Of files with one number one is a segment: that of the catalog, or the first with units. */
  private void recoverOne(List<FoundFile> sameNumber) throws IOException {
    sameNumber.sort(
        Comparator.comparingLong(FoundFile::end)
            .reversed()
            .thenComparing(file -> file.name().path()));
    boolean found = false;
    for (FoundFile file : sameNumber) {
      if (found) {
        leaveAlone(file, "another segment has its number", null);
      } else {
        found = recover(file);
      }
    }
  }

  /** Whether the file is a segment. */
  private boolean recover(FoundFile file) throws IOException {
    // Even an empty one is opened before it is deleted: it may be another's.
    boolean looked = (file.length() <= file.end() && file.end() > 0) || tryReplay(file);
    if (file.end() == 0) {
      if (looked) {
        tryDelete(file);
      }
      return false;
    }
    if (looked && file.length() > file.end()) {
      tryCut(file);
    }
    table.addRecovered(file.name().number(), file.name().shuffle(), file.ends(), synced);
    return true;
  }

  /** Whether all could be looked at that the catalog does not know. */
  private boolean tryReplay(FoundFile file) throws IOException {
    if (file.isHidden()) {
      unreadFiles++;
      notLookedAt(file, "the disk does not say how long it is", null);
      return false;
    }
    try {
      if (replay(file)) {
        return true;
      }
      // Not lost: a crash leaves a few claims at most, so this is somebody's own doing.
      notLookedAt(file, "too much of it claims to be a unit", null);
    } catch (AccessDeniedException e) {
      // As many as somebody likes to make: a line for each, and no stack.
      notLookedAt(file, "it may not be opened, " + IoReason.of(e), null);
    } catch (IOException e) {
      requireDisk(e);
      unreadFiles++;
      notLookedAt(file, "it cannot be read", e);
    }
    return false;
  }

  private void notLookedAt(FoundFile file, String why, @Nullable IOException failure) {
    if (file.end() == 0) {
      leaveAlone(file, why, failure);
    } else {
      keepTail(file, why, failure);
    }
  }

  private void tryDelete(FoundFile file) throws IOException {
    try {
      disk.delete(file.name().path());
      unlinkedSegments++;
    } catch (IOException e) {
      requireDisk(e);
      leaveAlone(file, "it has no unit and cannot be deleted", e);
    }
  }

  private void tryCut(FoundFile file) throws IOException {
    try {
      cut(file);
    } catch (IOException e) {
      requireDisk(e);
      keepTail(file, "it cannot be cut", e);
    }
  }

  /** Whether all of it was looked at. */
  private boolean replay(FoundFile file) throws IOException {
    try (DiskFile bytes = disk.openForRead(file.name().path())) {
      return scanner.scan(
          bytes,
          file.name(),
          file.end(),
          file.length(),
          (header, record, found) -> {
            catalog.put(header.position().segment(), header.position().offset(), record);
            holes += header.position().offset() > file.end() ? 1 : 0;
            add(file, header, found);
            replayedUnits++;
          });
    }
  }

  private void cut(FoundFile file) throws IOException {
    log.warn(
        "{}: cutting {} from {} to {} bytes",
        disk.name(),
        file.name().path(),
        file.length(),
        file.end());
    try (DiskFile bytes = disk.openForWrite(file.name().path())) {
      bytes.truncate(file.end());
    }
    cutBytes += file.length() - file.end();
  }

  private void add(FoundFile file, UnitHeader header, List<Extent> found) {
    file.ends().add(header.position().offset() + header.unitLength());
    extents.computeIfAbsent(header.shuffle(), shuffle -> new ArrayList<>()).addAll(found);
    units++;
  }

  private RecoveryReport report() {
    return new RecoveryReport(
        units,
        extents.values().stream().mapToInt(List::size).sum(),
        replayedUnits,
        holes,
        lost.size(),
        cutBytes,
        unlinkedSegments,
        unreadFiles,
        List.copyOf(keptTails),
        List.copyOf(unknownFiles));
  }

  /** Compares each record with its file's name and length; the bytes themselves are not read. */
  private final class CatalogVisitor implements UnitCatalog.Visitor {
    @Override
    public void removing(Removal removal) {
      removals.add(removal);
      table.reserveNumbersTo(removal.segment());
    }

    @Override
    public void unit(long segment, long offset, ByteBuffer record) {
      table.reserveNumbersTo(segment);
      try {
        UnitHeader header = UnitHeader.decode(record, 0, crc);
        if (removals.contains(new Removal(segment, header.shuffle()))
            || removals.contains(new Removal(segment, null))) {
          removed.add(new UnitPlace(segment, offset));
          return;
        }
        FoundFile file = find(segment, header.shuffle());
        if (file == null || offset + header.unitLength() > file.length()) {
          lost.add(new UnitPlace(segment, offset));
          return;
        }
        if (header.position().segment() != segment || header.position().offset() != offset) {
          throw new SluiceException(ErrorCode.CORRUPT_UNIT, "record of another unit");
        }
        add(file, header, header.unpackExtents(record, 0));
      } catch (SluiceException e) {
        throw new SluiceException(
            ErrorCode.CORRUPT_CATALOG,
            "catalog of " + disk.name() + ", segment " + segment + ", offset " + offset,
            e);
      }
    }
  }

  private @Nullable FoundFile find(long segment, ShuffleKey shuffle) {
    for (FoundFile file : files.getOrDefault(segment, List.of())) {
      if (file.name().shuffle().equals(shuffle)) {
        return file;
      }
    }
    return null;
  }

  private record UnitPlace(long segment, long offset) {}

  /** The outcome: mutable lists, owned by the store. */
  record Recovered(Map<ShuffleKey, List<Extent>> extents, RecoveryReport report) {}
}

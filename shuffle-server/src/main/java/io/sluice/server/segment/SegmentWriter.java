package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends units to segments, on the disk's writers, each to one that no other appends to meanwhile.
 * A unit exists once its catalog record does; whatever fails before that is cut off again, or else
 * its segment is written no further. A cut is an access to the disk of its own: it may take as long
 * as the write that failed.
 */
final class SegmentWriter {
  private static final Logger log = LoggerFactory.getLogger(SegmentWriter.class);

  /** Numbers tried for one segment; each but the first is any of four billion. */
  private static final int NAMES_MAX = 8;

  private final Disk disk;
  private final UnitCatalog catalog;
  private final SegmentTable table;
  private final OpenFiles files;
  private final long reservedSpace;
  private final long incarnation;
  private final AtomicLong sequence = new AtomicLong();
  // Of units under way, which the disk may not have taken from its free space yet.
  private final AtomicLong underWay = new AtomicLong();

  SegmentWriter(
      Disk disk,
      UnitCatalog catalog,
      SegmentTable table,
      OpenFiles files,
      long reservedSpace,
      long incarnation) {
    this.disk = disk;
    this.catalog = catalog;
    this.table = table;
    this.files = files;
    this.reservedSpace = reservedSpace;
    this.incarnation = incarnation;
  }

  /**
   * Writes a unit and its record, unless it is given up meanwhile.
   *
   * @param access under way; whoever began it closes it
   * @return its header, for {@link StagedUnit#extents}
   * @throws SluiceException UNKNOWN_SHUFFLE if the shuffle was removed since the unit was staged,
   *     NO_DISK_SPACE, DISK_FAILED
   */
  UnitHeader append(UnitWrite write, UnitAccess access) {
    StagedUnit unit = write.unit();
    ShuffleSegments target = unit.target();
    int unitLength = unit.header(new UnitPosition(0, 0, 0, 0)).unitLength();
    underWay.addAndGet(unitLength);
    try {
      Segment segment = lease(target, unitLength);
      try {
        UnitPosition position =
            new UnitPosition(
                segment.number(), segment.end(), incarnation, sequence.getAndIncrement());
        UnitHeader header = unit.header(position);
        append(write, access, segment, header);
        return header;
      } finally {
        segment.release();
      }
    } finally {
      underWay.addAndGet(-unitLength);
    }
  }

  /** A segment that is there for the next unit; leased. */
  private Segment lease(ShuffleSegments target, int unitLength) {
    for (int names = 1; true; names++) {
      Segment segment = table.leaseForAppend(target, unitLength);
      if (segment == null) {
        throw new SluiceException(
            ErrorCode.UNKNOWN_SHUFFLE, "shuffle " + target.shuffle() + " was removed");
      }
      boolean there = false;
      try {
        there = create(target, segment, names < NAMES_MAX);
      } finally {
        if (!there) {
          segment.release();
        }
      }
      if (there) {
        return segment;
      }
      table.leap();
    }
  }

  /**
   * Whoever finds no room hands the segment back as it was.
   *
   * @return false if there is such a file already, which somebody else made
   */
  private boolean create(ShuffleSegments target, Segment segment, boolean otherName) {
    try {
      checkSpace();
      if (!segment.isCreated()) {
        disk.create(segment.file()).close();
        segment.setCreated();
      }
      return true;
    } catch (FileAlreadyExistsException e) {
      SluiceException failure = failure(segment, e);
      segment.leaveFile();
      leave(target, segment);
      if (!otherName) {
        throw failure;
      }
      log.warn("{}: {} is there already, another number is taken", disk.name(), segment.file());
      return false;
    } catch (IOException e) {
      SluiceException failure = failure(segment, e);
      leave(target, segment);
      throw failure;
    } catch (SluiceException noRoom) {
      leave(target, segment);
      throw noRoom;
    }
  }

  private void leave(ShuffleSegments target, Segment segment) {
    if (segment.isCreated()) {
      table.reopen(target, segment);
    } else {
      table.abandon(target, segment);
    }
  }

  private void append(UnitWrite write, UnitAccess access, Segment segment, UnitHeader header) {
    ShuffleSegments target = write.unit().target();
    OpenFiles.Use use;
    try {
      use = files.acquire(segment);
    } catch (IOException e) {
      SluiceException failure = failure(segment, e);
      table.reopen(target, segment);
      throw failure;
    }
    try {
      SluiceException failure = write(write, segment, header, use.file());
      if (failure != null) {
        access.failed(failure);
        cutBack(target, segment, use.file());
        throw failure;
      }
      segment.extendTo(segment.end() + header.unitLength());
      table.reopen(target, segment);
    } finally {
      use.release();
    }
  }

  /**
   * Writes a unit's bytes, then its record.
   *
   * @return why there is no such unit, or null if there is
   * @throws SluiceException if there is none, but a record of it that stays: whoever finds that
   *     believes it, so the bytes have to stay, and the segment is written no further
   */
  private @Nullable SluiceException write(
      UnitWrite write, Segment segment, UnitHeader header, DiskFile file) {
    ByteBuffer bytes = write.unit().seal(header);
    ByteBuffer record = bytes.duplicate().limit(bytes.position() + header.length());
    try {
      writeFully(file, bytes, segment.end());
      if (write.isGivenUp()) {
        return givenUp(segment);
      }
      catalog.put(segment.number(), segment.end(), record);
    } catch (IOException e) {
      return failure(segment, e);
    } catch (SluiceException e) {
      return e;
    }
    if (write.written()) {
      return null;
    }
    // A unit whose blocks have gone back to its caller must not be found by anybody.
    catalog.dropNow(segment.number(), segment.end());
    return givenUp(segment);
  }

  private SluiceException givenUp(Segment segment) {
    return new SluiceException(
        ErrorCode.DISK_FAILED,
        "disk " + disk.name() + ", segment " + segment.file() + ": unit came too late");
  }

  private void checkSpace() throws IOException {
    disk.check();
    long free = disk.free();
    if (free - underWay.get() < reservedSpace) {
      throw noSpace(free, null);
    }
  }

  private static void writeFully(DiskFile file, ByteBuffer bytes, long position)
      throws IOException {
    int length = bytes.remaining();
    long next = position;
    while (bytes.hasRemaining()) {
      int written = writeSome(file, bytes, next, length);
      if (written <= 0) {
        throw new IOException("the disk took no more " + after(bytes, length));
      }
      next += written;
    }
  }

  private static int writeSome(DiskFile file, ByteBuffer bytes, long position, int length)
      throws IOException {
    try {
      return file.write(bytes, position);
    } catch (IOException e) {
      if (bytes.remaining() == length) {
        throw e;
      }
      throw new IOException(IoReason.of(e) + ", " + after(bytes, length), e);
    }
  }

  /** How much was written before. */
  private static String after(ByteBuffer bytes, int length) {
    return "after " + (length - bytes.remaining()) + " of " + length + " bytes";
  }

  /** So that recovery does not find a unit whose writer was told that it failed. */
  private void cutBack(ShuffleSegments target, Segment segment, DiskFile file) {
    try {
      file.truncate(segment.end());
      table.reopen(target, segment);
    } catch (IOException e) {
      log.warn("{}: cannot cut {} to {}", disk.name(), segment.file(), segment.end(), e);
    }
  }

  private SluiceException failure(Segment segment, IOException e) {
    try {
      long free = disk.free();
      if (free < reservedSpace) {
        return noSpace(free, e);
      }
    } catch (IOException alsoFailed) {
      e.addSuppressed(alsoFailed);
    }
    return new SluiceException(
        ErrorCode.DISK_FAILED,
        "disk "
            + disk.name()
            + ", segment "
            + segment.file()
            + ", offset "
            + segment.end()
            + ": unit was not written",
        e);
  }

  private SluiceException noSpace(long free, @Nullable IOException cause) {
    return new SluiceException(
        ErrorCode.NO_DISK_SPACE,
        "disk "
            + disk.name()
            + " has "
            + free
            + " bytes free, of which "
            + reservedSpace
            + " stay reserved",
        cause);
  }
}

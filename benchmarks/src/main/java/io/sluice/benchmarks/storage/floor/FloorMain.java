package io.sluice.benchmarks.storage.floor;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.child.PhaseLoop;
import io.sluice.benchmarks.storage.disk.AccessCounts;
import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;

/**
 * The process that the raw disk, and then copying, is measured in: {@code DIRECTORY BYTES DIRECT
 * WRITES UNIT WRITE_BUFFERS READS READ_UNIT READ_BUFFERS MEMORY BLOCK}. WRITES and READS are how
 * many are under way at a time, UNIT and READ_UNIT the bytes of each, WRITE_BUFFERS and
 * READ_BUFFERS how many of so many bytes are used in turns, MEMORY and BLOCK the bytes of the
 * memory that blocks are copied into and of each.
 */
public final class FloorMain {
  private static final double NANOS = 1e9;

  // Where in the arguments they begin.
  private static final int WRITING = 3;
  private static final int READING = WRITING + Accesses.FIELDS;
  private static final int MEMORY = READING + Accesses.FIELDS;

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final DiskTurn turn;
  private final CopyFloor copies;
  private final RawBuffers writtenFrom;
  private final int reads;
  private final RawBuffers readInto;
  private RawFile stored;
  private RawFile other;

  private record Times(double seconds, double cpuSeconds, double queueSeconds) {}

  private FloorMain(
      DiskTurn turn,
      CopyFloor copies,
      Accesses writing,
      Accesses reading,
      RawFile stored,
      RawFile other) {
    this.turn = turn;
    this.copies = copies;
    this.writtenFrom = new RawBuffers(writing);
    this.reads = reading.underWay();
    this.readInto = new RawBuffers(reading);
    this.stored = stored;
    this.other = other;
  }

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    List<String> arguments = List.of(args);
    Accesses writing = Accesses.parse(arguments.subList(WRITING, READING));
    Accesses reading = Accesses.parse(arguments.subList(READING, MEMORY));
    RawFile.Shape shape =
        RawFile.Shape.of(
            Long.parseLong(args[1]), Boolean.parseBoolean(args[2]), writing, reading.unit());
    DiskTurn turn = new DiskTurn(Clock.system(), DiskLoad.of(directory));
    FloorMain floor =
        new FloorMain(
            turn,
            new CopyFloor(Long.parseLong(args[MEMORY]), Long.parseLong(args[MEMORY + 1])),
            writing,
            reading,
            new RawFile(directory.resolve("raw-a"), shape),
            new RawFile(directory.resolve("raw-b"), shape));
    PhaseLoop.serve(floor::run, floor::discard, turn);
  }

  private PhaseFigures run(Phase phase) throws Exception {
    if (phase == Phase.write) {
      stored.delete();
    }
    DiskTurn.Moment began = turn.now();
    long cpu = system.getProcessCpuTime();
    switch (phase) {
      case write -> stored.write(writtenFrom, turn);
      case read, shared, ranges -> stored.read(reads, readInto, turn);
      case mixed -> writeWhileReading();
    }
    DiskTurn.Moment ended = turn.now();
    double seconds = ended.seconds() - began.seconds();
    double cpuSeconds = (system.getProcessCpuTime() - cpu) / NANOS;
    double queueSeconds = DiskLoad.between(began.queueSeconds(), ended.queueSeconds());
    if (phase == Phase.mixed) {
      swap();
    }
    return figures(phase, new Times(seconds, cpuSeconds, queueSeconds));
  }

  private void writeWhileReading() throws Exception {
    FutureTask<Void> writing =
        new FutureTask<>(
            () -> {
              other.write(writtenFrom, turn);
              return null;
            });
    new Thread(writing, "floor-write").start();
    stored.read(reads, readInto, turn);
    writing.get();
  }

  /** As the engine does: what was read goes, what was written is read next. */
  private void swap() throws IOException {
    stored.delete();
    RawFile written = other;
    other = stored;
    stored = written;
  }

  private PhaseFigures figures(Phase phase, Times times) {
    long written = phase.writes() ? stored.shape().bytes() : 0;
    long read = phase.reads() ? stored.shape().bytes() : 0;
    int unit = stored.shape().unit();
    AccessCounts access =
        new AccessCounts(
            written / unit, written, read / readInto.size(), read, phase == Phase.mixed ? 2 : 1);
    // Not in the seconds: the disk does not wait for it.
    double copying = written > 0 ? copies.written(written) : 0;
    return new PhaseFigures(
        written + read,
        times.seconds,
        times.cpuSeconds + copying,
        0,
        times.queueSeconds,
        written,
        written,
        access);
  }

  private void discard() {
    try {
      stored.delete();
      other.delete();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

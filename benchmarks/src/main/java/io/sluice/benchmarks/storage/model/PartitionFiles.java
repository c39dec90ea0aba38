package io.sluice.benchmarks.storage.model;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.StorageCase;
import io.sluice.benchmarks.storage.disk.AccessCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The layout that Sluice does without, on the same spindle: one file per partition, to which what
 * memory holds of the partition is appended. Memory, and when it is emptied and how far, are the
 * engine's; the fullest partitions go first, so appends are as large as this layout can make them.
 * Readers read whole files, {@value #READ_BYTES} bytes at a time, which pays off where a file has
 * longer runs than that. Only times are computed, no bytes are stored. One thread's.
 */
public final class PartitionFiles {
  /** As {@code server.flush.start} and how far a flush goes below it. */
  private static final double START_SHARE = 0.5;

  private static final double AIM_SHARE = START_SHARE * 3 / 4;
  private static final int READ_BYTES = 8 << 20;
  private static final double NANOS = 1e9;

  private final StorageCase shape;
  private final VirtualTime time = new VirtualTime();
  private final Spindle spindle;
  private FileLayout[] files = new FileLayout[0];
  private long now;
  // By the phase that is running.
  private long written;

  public PartitionFiles(StorageCase shape, SeekRule rule) {
    this.shape = shape;
    this.spindle = new Spindle(time, rule);
  }

  /** The modelled disk's own sequential speed: one seek, then nothing but bytes. */
  public PhaseFigures sequential(Phase phase) {
    long bytes = phase == Phase.mixed ? 2 * shape.bytes() : shape.bytes();
    double seconds = Spindle.cost(true, bytes) / NANOS;
    long written = phase.writes() ? shape.bytes() : 0;
    return new PhaseFigures(
        bytes, seconds, Double.NaN, Double.NaN, Double.NaN, written, written, AccessCounts.NONE);
  }

  /** Runs a phase after those before it. */
  public PhaseFigures run(Phase phase) {
    AccessCounts before = spindle.counts();
    long began = now;
    long pushed = 0;
    long fetched = 0;
    switch (phase) {
      case write -> pushed = write(new Reading(new FileLayout[0]));
      case read -> fetched = readAll(new Reading(files));
      case shared -> fetched = readShared(shape.readers());
      case ranges -> fetched = readRanges();
      case mixed -> {
        Reading reading = new Reading(files);
        pushed = write(reading);
        fetched = readAll(reading);
      }
    }
    AccessCounts access = spindle.counts().since(before);
    return new PhaseFigures(
        pushed + fetched,
        (now - began) / NANOS,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        access.writtenBytes(),
        pushed,
        access);
  }

  /** Files being read, one after the other. */
  private static final class Reading {
    private final FileLayout[] files;
    private int file;
    private long at;
    private long bytes;

    Reading(FileLayout[] files) {
      this.files = files;
    }
  }

  /** Writes everything, with a step of reading after each append, as fair queueing would do. */
  private long write(Reading reading) {
    int count = shape.partitions() * shape.shuffles();
    files = new FileLayout[count];
    Arrays.setAll(files, i -> new FileLayout(spindle));
    long[] memory = new long[count];
    written = 0;
    // Blocks come evenly over partitions, so memory fills evenly.
    long round = Math.max(1, shape.plan(0).blockBytes());
    long used = 0;
    long pushed = 0;
    long start = (long) (shape.arena() * START_SHARE);
    long aim = (long) (shape.arena() * AIM_SHARE);
    while (pushed < shape.bytes()) {
      for (int i = 0; i < count && pushed < shape.bytes(); i++) {
        long block = Math.min(round, shape.bytes() - pushed);
        memory[i] += block;
        used += block;
        pushed += block;
        if (used > start) {
          used = empty(memory, used, aim, reading);
        }
      }
    }
    empty(memory, used, 0, reading);
    return pushed;
  }

  private long empty(long[] memory, long used, long aim, Reading reading) {
    Integer[] order = new Integer[memory.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparingLong(i -> -memory[i]));
    long left = used;
    for (int i = 0; i < order.length && left > aim; i++) {
      int partition = order[i];
      long bytes = memory[partition];
      if (bytes > 0) {
        now = files[partition].write(files[partition].length(), bytes);
        memory[partition] = 0;
        left -= bytes;
        written += bytes;
        while (reading.bytes < written && readNext(reading)) {
          // As many bytes are read as were written.
        }
      }
    }
    return left;
  }

  private long readAll(Reading reading) {
    while (readNext(reading)) {
      // The next piece.
    }
    return reading.bytes;
  }

  /** Nothing keeps what was read: every reader reads it again, all of them side by side. */
  private long readShared(int atOnce) {
    List<Reading> readers = new ArrayList<>();
    for (int i = 0; i < atOnce; i++) {
      readers.add(new Reading(files));
    }
    while (readers.stream().filter(this::readNext).count() > 0) {
      // The next piece of each.
    }
    return readers.get(0).bytes;
  }

  /** A file has blocks in the order in which they came: who wants some maps' reads all of it. */
  private long readRanges() {
    long bytes = 0;
    for (int left = shape.ranges(); left > 0; left -= shape.readers()) {
      bytes = readShared(Math.min(left, shape.readers()));
    }
    return bytes;
  }

  private boolean readNext(Reading reading) {
    while (reading.file < reading.files.length) {
      FileLayout file = reading.files[reading.file];
      long bytes = Math.min(READ_BYTES, file.length() - reading.at);
      if (bytes > 0) {
        now = file.read(reading.at, bytes);
        reading.at += bytes;
        reading.bytes += bytes;
        return true;
      }
      reading.file++;
      reading.at = 0;
    }
    return false;
  }
}

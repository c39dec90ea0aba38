package io.sluice.benchmarks.storage;

import io.sluice.benchmarks.storage.disk.AccessCounts;
import java.util.Locale;

/**
 * What one side did in one phase. Travels as one line between processes.
 *
 * @param bytes of blocks pushed and fetched; of the raw disk, bytes written and read
 * @param cpuSeconds of the side's process, without what its synthetic clients used; of the floor
 *     with that of copies, for which no disk waited; no number where time is computed
 * @param clientCpuSeconds what those used
 * @param queueSeconds that accesses spent at the disk, of all together, whoever asked; no number if
 *     unknown
 * @param storageBytes what the process sent to storage of its own accord: {@code write_bytes}
 * @param pushedBytes of blocks pushed, all of which are on the disk now
 * @param access what was asked of the disk
 */
public record PhaseFigures(
    long bytes,
    double seconds,
    double cpuSeconds,
    double clientCpuSeconds,
    double queueSeconds,
    long storageBytes,
    long pushedBytes,
    AccessCounts access) {

  private static final double GB = 1e9;
  private static final int FIELDS = 12;

  public double gbps() {
    return bytes / GB / seconds;
  }

  public double cpuPerGb() {
    return cpuSeconds / (bytes / GB);
  }

  /** How many accesses were at the disk at a time, in the mean; no number if that is unknown. */
  public double underWay() {
    return queueSeconds / seconds;
  }

  /** Bytes sent to storage per byte pushed; no number where nothing was pushed. */
  public double writeAmplification() {
    return pushedBytes == 0 ? Double.NaN : (double) storageBytes / pushedBytes;
  }

  /** Bytes read from the files per byte fetched; no number where nothing was fetched. */
  public double readAmplification() {
    long fetched = bytes - pushedBytes;
    return fetched == 0 ? Double.NaN : (double) access.readBytes() / fetched;
  }

  public double meanWrite() {
    return (double) access.writtenBytes() / access.writes();
  }

  public double meanRead() {
    return (double) access.readBytes() / access.reads();
  }

  public double seeksPerGb() {
    return access.seeks() / (bytes / GB);
  }

  /** For {@link #parse}. */
  public String format() {
    return String.format(
        Locale.ROOT,
        "%d %.9f %.9f %.9f %.9f %d %d %d %d %d %d %d",
        bytes,
        seconds,
        cpuSeconds,
        clientCpuSeconds,
        queueSeconds,
        storageBytes,
        pushedBytes,
        access.writes(),
        access.writtenBytes(),
        access.reads(),
        access.readBytes(),
        access.seeks());
  }

  /**
   * @throws IllegalArgumentException if the line is not what {@link #format} writes
   */
  public static PhaseFigures parse(String line) {
    String[] fields = line.trim().split(" ", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException("not " + FIELDS + " figures: " + line);
    }
    return new PhaseFigures(
        Long.parseLong(fields[0]),
        Double.parseDouble(fields[1]),
        Double.parseDouble(fields[2]),
        Double.parseDouble(fields[3]),
        Double.parseDouble(fields[4]),
        Long.parseLong(fields[5]),
        Long.parseLong(fields[6]),
        new AccessCounts(
            Long.parseLong(fields[7]),
            Long.parseLong(fields[8]),
            Long.parseLong(fields[9]),
            Long.parseLong(fields[10]),
            Long.parseLong(fields[11])));
  }
}

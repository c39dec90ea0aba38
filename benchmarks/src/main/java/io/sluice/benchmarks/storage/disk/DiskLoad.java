package io.sluice.benchmarks.storage.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How long accesses have been at the device under a directory, of all together: the kernel's own
 * count, field 11 of {@code /sys/dev/block/MAJOR:MINOR/stat} (Documentation/block/stat.rst), in
 * milliseconds. What comes of it in a second is how many were there at a time, in the mean. Devices
 * may split an access, or take fewer at a time than they are asked for: a number to compare with
 * that of another program on the same device, and no more. Thread-safe.
 */
public final class DiskLoad {
  private static final int FIELD = 10;
  private static final double MILLIS = 1e3;
  private static final double WRAP_SECONDS = 0x1p32 / MILLIS;
  private static final long BYTE = 0xff;
  private static final long TWELVE_BITS = 0xfff;
  private static final long U_INT = 0xffff_ffffL;

  private final @Nullable Path statistics;

  DiskLoad(@Nullable Path statistics) {
    this.statistics = statistics;
  }

  /** Of what lies under a directory, or of nothing if the kernel has no such count of it. */
  public static DiskLoad of(Path directory) {
    long device;
    try {
      device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Path statistics = Path.of("/sys/dev/block", name(device), "stat");
    return new DiskLoad(Files.isReadable(statistics) ? statistics : null);
  }

  /** MAJOR:MINOR, of a number in which glibc has packed them. */
  static String name(long device) {
    long major = ((device >>> 8) & TWELVE_BITS) | ((device >>> 32) & ~TWELVE_BITS);
    long minor = (device & BYTE) | ((device >>> 12) & ~BYTE & U_INT);
    return major + ":" + minor;
  }

  /** How much was added between two looks: the kernel's count begins anew after 2^32 ms. */
  public static double between(double before, double after) {
    return after < before ? after + WRAP_SECONDS - before : after - before;
  }

  /** From an arbitrary origin; no number if it is not known. */
  public double seconds() {
    if (statistics == null) {
      return Double.NaN;
    }
    try {
      String[] fields = Files.readString(statistics).trim().split("\\s+", -1);
      return Long.parseLong(fields[FIELD]) / MILLIS;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

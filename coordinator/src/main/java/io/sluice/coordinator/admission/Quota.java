package io.sluice.coordinator.admission;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much one user, or one application, may have in the whole cluster at a time.
 *
 * @param bytes of blocks, every copy counted, in memory and on disks
 * @param partitions of all shuffles, every copy counted
 * @param applications registered; only of users
 */
public record Quota(long bytes, long partitions, long applications) {
  public static final long UNLIMITED = Long.MAX_VALUE;
  public static final Quota NONE = new Quota(UNLIMITED, UNLIMITED, UNLIMITED);

  /**
   * @throws SluiceException INVALID_ARGUMENT on a negative number
   */
  public Quota {
    if (bytes < 0 || partitions < 0 || applications < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "a quota is not negative: bytes "
              + bytes
              + ", partitions "
              + partitions
              + ", applications "
              + applications);
    }
  }

  Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    put(fields, "bytes", bytes);
    put(fields, "partitions", partitions);
    put(fields, "applications", applications);
    return fields;
  }

  private static void put(Map<String, String> fields, String name, long limit) {
    if (limit != UNLIMITED) {
      fields.put(name, Long.toString(limit));
    }
  }

  /**
   * @throws IllegalArgumentException if a field is no number
   */
  static Quota of(Map<String, String> fields) {
    return new Quota(
        limit(fields, "bytes"), limit(fields, "partitions"), limit(fields, "applications"));
  }

  private static long limit(Map<String, String> fields, String name) {
    String text = fields.get(name);
    return text == null ? UNLIMITED : Long.parseLong(text);
  }
}

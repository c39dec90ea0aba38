package io.sluice.server.segment;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the name of a segment file says; docs/storage-format.md. */
public record SegmentFileName(long number, ShuffleKey shuffle) {
  /** Where segments lie on a disk. */
  public static final String FOLDER = "segments";

  private static final Pattern PATTERN =
      Pattern.compile(
          "([0-9a-f]{16})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
              + "-([0-9]{1,10})-([0-9]{1,10})\\.seg");

  /** The meaning of a name within the folder, or null if it is not a segment's. */
  public static @Nullable SegmentFileName parse(String name) {
    Matcher matcher = PATTERN.matcher(name);
    if (!matcher.matches()) {
      return null;
    }
    long shuffleId = Long.parseLong(matcher.group(3));
    long generation = Long.parseLong(matcher.group(4));
    long number = Long.parseUnsignedLong(matcher.group(1), 16);
    if (shuffleId > Integer.MAX_VALUE || generation > Integer.MAX_VALUE || number < 0) {
      return null;
    }
    SegmentFileName parsed =
        new SegmentFileName(
            number,
            new ShuffleKey(
                new ApplicationId(UUID.fromString(matcher.group(2))),
                (int) shuffleId,
                (int) generation));
    // One segment has one name: leading zeros make it another file.
    return parsed.file().equals(name) ? parsed : null;
  }

  /** The file's path on its disk. */
  String path() {
    return FOLDER + "/" + file();
  }

  /** Its name in the folder. */
  String file() {
    return String.format(
        Locale.ROOT,
        "%016x-%s-%d-%d.seg",
        number,
        shuffle.application(),
        shuffle.shuffleId(),
        shuffle.generation());
  }
}

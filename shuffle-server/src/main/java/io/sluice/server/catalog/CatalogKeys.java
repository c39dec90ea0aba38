package io.sluice.server.catalog;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;

/** Keys of the catalog, docs/storage-format.md: a kind, then big-endian numbers. */
final class CatalogKeys {
  /** What is written. */
  static final int VERSION = 2;

  /** Its removals said no shuffle. Still read. */
  static final int VERSION_1 = 1;

  static final int UNIT_KEY_LENGTH = 1 + 2 * Long.BYTES;

  private static final int REMOVAL_KEY_LENGTH = 1 + 3 * Long.BYTES + 2 * Integer.BYTES;
  private static final int REMOVAL_KEY_LENGTH_1 = 1 + Long.BYTES;
  private static final byte VERSION_KIND = 0;
  private static final byte REMOVAL_KIND = 1;
  private static final byte UNIT_KIND = 2;
  private static final byte STAMP_KIND = 3;

  private CatalogKeys() {}

  static byte[] versionKey() {
    return new byte[] {VERSION_KIND};
  }

  /** The value under {@link #versionKey}. */
  static byte[] version() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(VERSION).array();
  }

  static byte[] unit(long segment, long offset) {
    return ByteBuffer.allocate(UNIT_KEY_LENGTH)
        .put(UNIT_KIND)
        .putLong(segment)
        .putLong(offset)
        .array();
  }

  static byte[] removal(Removal removal) {
    ShuffleKey shuffle = removal.shuffle();
    if (shuffle == null) {
      return ByteBuffer.allocate(REMOVAL_KEY_LENGTH_1)
          .put(REMOVAL_KIND)
          .putLong(removal.segment())
          .array();
    }
    return ByteBuffer.allocate(REMOVAL_KEY_LENGTH)
        .put(REMOVAL_KIND)
        .putLong(removal.segment())
        .putLong(shuffle.application().high())
        .putLong(shuffle.application().low())
        .putInt(shuffle.shuffleId())
        .putInt(shuffle.generation())
        .array();
  }

  /** What a key of a removal says. */
  static Removal removal(byte[] key) {
    ByteBuffer fields = ByteBuffer.wrap(key).position(1);
    long segment = fields.getLong();
    ShuffleKey shuffle =
        fields.hasRemaining()
            ? new ShuffleKey(
                ApplicationId.of(fields.getLong(), fields.getLong()),
                fields.getInt(),
                fields.getInt())
            : null;
    return new Removal(segment, shuffle);
  }

  static byte[] stamp() {
    return new byte[] {STAMP_KIND};
  }

  /** The lowest key of what is recorded, and of a stamp. */
  static byte[] first() {
    return new byte[] {REMOVAL_KIND};
  }

  /** Above all keys. */
  static byte[] end() {
    return new byte[] {STAMP_KIND + 1};
  }

  static boolean isStamp(byte[] key) {
    return key.length == 1 && key[0] == STAMP_KIND;
  }

  static boolean isVersion(byte[] key) {
    return key.length == 1 && key[0] == VERSION_KIND;
  }

  static boolean isUnit(byte[] key) {
    return key.length == UNIT_KEY_LENGTH && key[0] == UNIT_KIND;
  }

  static boolean isUnitOf(byte[] key, long segment) {
    return isUnit(key) && segment(key) == segment;
  }

  static boolean isRemoval(byte[] key) {
    return (key.length == REMOVAL_KEY_LENGTH || key.length == REMOVAL_KEY_LENGTH_1)
        && key[0] == REMOVAL_KIND;
  }

  /** Of a unit's key. */
  static long segment(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1);
  }

  /** Of a unit's key. */
  static long offset(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1 + Long.BYTES);
  }
}

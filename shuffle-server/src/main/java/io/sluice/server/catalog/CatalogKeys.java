package io.sluice.server.catalog;

import java.nio.ByteBuffer;

/** Keys of the catalog, docs/storage-format.md: a kind, then big-endian numbers. */
final class CatalogKeys {
  static final int VERSION = 1;

  static final int UNIT_KEY_LENGTH = 1 + 2 * Long.BYTES;

  private static final int REMOVAL_KEY_LENGTH = 1 + Long.BYTES;
  private static final byte VERSION_KIND = 0;
  private static final byte REMOVAL_KIND = 1;
  private static final byte UNIT_KIND = 2;

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

  static byte[] removal(long segment) {
    return ByteBuffer.allocate(REMOVAL_KEY_LENGTH).put(REMOVAL_KIND).putLong(segment).array();
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
    return key.length == REMOVAL_KEY_LENGTH && key[0] == REMOVAL_KIND;
  }

  /** Of a unit's or a removal's key. */
  static long segment(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1);
  }

  /** Of a unit's key. */
  static long offset(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1 + Long.BYTES);
  }
}

package io.sluice.server.disk;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/** Bytes of one file: as programs see them, and as they would be after power loss. */
final class SimulatedFile {
  private byte[] bytes = {};
  private int length;
  private byte[] synced = {};
  // Of one session, which is the number of a life of whatever reads.
  private final BitSet pagesRead = new BitSet();
  private int readSession;

  int length() {
    return length;
  }

  /** As {@link #copyOut}, and takes note of who has seen what. */
  void read(int session, int position, byte[] target, int count) {
    if (session != readSession) {
      readSession = session;
      pagesRead.clear();
    }
    pagesRead.set(page(position), page(position + count - 1) + 1);
    copyOut(position, target, count);
  }

  /** Whether any page with some of these bytes was read in a session. */
  boolean wasRead(int session, int position, int count) {
    int first = pagesRead.nextSetBit(page(position));
    return session == readSession && first >= 0 && first <= page(position + count - 1);
  }

  private static int page(int position) {
    return position / Disk.ALIGNMENT;
  }

  void copyOut(int position, byte[] target, int count) {
    System.arraycopy(bytes, position, target, 0, count);
  }

  void write(int position, byte[] source, int from, int count) {
    grow(position + count);
    System.arraycopy(source, from, bytes, position, count);
  }

  void flip(int position, int mask) {
    bytes[position] ^= (byte) mask;
  }

  void zero(int position, int count) {
    Arrays.fill(bytes, position, position + count, (byte) 0);
  }

  void truncate(int newLength) {
    if (newLength < length) {
      Arrays.fill(bytes, newLength, length, (byte) 0);
      length = newLength;
    }
  }

  private void grow(int newLength) {
    if (newLength > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(newLength, 2 * bytes.length));
    }
    length = Math.max(length, newLength);
  }

  void sync() {
    synced = Arrays.copyOf(bytes, length);
  }

  /** Every page written since the last sync survives or not, by chance. */
  void losePower(SplittableRandom random) {
    byte[] after = Arrays.copyOf(synced, length);
    for (int page = 0; page < length; page += Disk.ALIGNMENT) {
      if (random.nextBoolean()) {
        System.arraycopy(bytes, page, after, page, Math.min(Disk.ALIGNMENT, length - page));
      }
    }
    bytes = after;
  }

  SimulatedFile copy() {
    SimulatedFile copy = new SimulatedFile();
    copy.bytes = Arrays.copyOf(bytes, length);
    copy.length = length;
    copy.synced = synced;
    return copy;
  }
}

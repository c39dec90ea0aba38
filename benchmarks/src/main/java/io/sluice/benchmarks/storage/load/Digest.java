package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * What a set of blocks is, whatever their order: how many, how long, and the sum of a hash over all
 * of each header, its CRC of the payload included. One thread's.
 */
public final class Digest {
  private long blocks;
  private long bytes;
  private long sum;

  /** Adds a block by its header. */
  void add(ByteBuffer header, int offset) {
    blocks++;
    bytes += BlockHeader.LENGTH + BlockHeader.storedLength(header, offset);
    long hash = 0;
    for (int at = 0; at < BlockHeader.LENGTH; at += Long.BYTES) {
      hash = mix(hash ^ header.getLong(offset + at));
    }
    sum += hash;
  }

  /** Adds all of another one. */
  public void add(Digest other) {
    blocks += other.blocks;
    bytes += other.bytes;
    sum += other.sum;
  }

  /** Of a set that has each of these blocks so many times. */
  public Digest times(int count) {
    Digest all = new Digest();
    all.blocks = blocks * count;
    all.bytes = bytes * count;
    all.sum = sum * count;
    return all;
  }

  public long blocks() {
    return blocks;
  }

  /** Headers and payloads. */
  public long bytes() {
    return bytes;
  }

  public boolean matches(Digest other) {
    return blocks == other.blocks && bytes == other.bytes && sum == other.sum;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%,d blocks, %,d bytes, hash %016x", blocks, bytes, sum);
  }

  /** The finaliser of SplitMix64 (Steele, Lea and Flood, 2014). */
  static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}

package io.sluice.simulation.invariant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What one map attempt has written: per partition, the payload of each block in order. */
public final class AttemptLog {
  private final int map;
  private final long attempt;
  private final Map<Integer, List<Written>> partitions = new HashMap<>();

  private int firstEpoch;
  private int lastEpoch;

  public AttemptLog(int map, long attempt) {
    this.map = map;
    this.attempt = attempt;
  }

  public int map() {
    return map;
  }

  public long attempt() {
    return attempt;
  }

  /** The epochs that the attempt went through. */
  public void used(int first, int last) {
    firstEpoch = first;
    lastEpoch = last;
  }

  public int firstEpoch() {
    return firstEpoch;
  }

  public int lastEpoch() {
    return lastEpoch;
  }

  /** Number of the next block of a partition. */
  public int nextBlock(int partition) {
    return blocks(partition).size();
  }

  public void wrote(int partition, byte[] payload, boolean continues) {
    partitions
        .computeIfAbsent(partition, p -> new ArrayList<>())
        .add(new Written(payload, continues));
  }

  public List<Written> blocks(int partition) {
    return partitions.getOrDefault(partition, List.of());
  }

  /** One block. */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  public record Written(byte[] payload, boolean continues) {}
}

package io.sluice.simulation.invariant;

import static io.sluice.simulation.invariant.Invariant.ACKNOWLEDGED_BLOCKS_ARE_READABLE;
import static io.sluice.simulation.invariant.Invariant.EXACTLY_ONCE;
import static io.sluice.simulation.invariant.Invariant.NO_WRONG_BYTES;

import io.sluice.client.BlockReader.Block;
import io.sluice.simulation.invariant.AttemptLog.Written;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one reader was given, against what was written. */
public final class ReadBook {
  /** Every payload begins with the number of its block. */
  public static final int NUMBER_BYTES = Integer.BYTES;

  private final Map<Integer, AttemptLog> winners;
  private final int firstPartition;
  private final int endPartition;
  private final Map<Long, BitSet> seen = new HashMap<>();
  private @Nullable Place continued;

  /**
   * @param winners of the maps asked for, by map
   */
  public ReadBook(Map<Integer, AttemptLog> winners, int firstPartition, int endPartition) {
    this.winners = winners;
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
  }

  /** A block came. */
  public void delivered(Block block) {
    AttemptLog winner = winners.get(block.mapIndex());
    if (winner == null
        || winner.attempt() != block.attemptId()
        || block.partition() < firstPartition
        || block.partition() >= endPartition) {
      throw new Violation(
          EXACTLY_ONCE,
          "delivered although not asked for: " + place(block) + ", attempt " + block.attemptId());
    }
    ByteBuffer payload = block.payload().duplicate();
    Violation.unless(
        payload.remaining() >= NUMBER_BYTES,
        NO_WRONG_BYTES,
        () -> "a payload of nothing: " + place(block));
    int number = payload.getInt(payload.position());
    Place place = new Place(block.partition(), block.mapIndex(), number);
    check(place, winner, payload, block);
    Violation.unless(
        continued == null || continued.equals(place),
        NO_WRONG_BYTES,
        () -> "a record that spans blocks goes on in " + continued + ", delivered was " + place);
    continued =
        block.continues() ? new Place(block.partition(), block.mapIndex(), number + 1) : null;
  }

  private void check(Place place, AttemptLog winner, ByteBuffer payload, Block block) {
    Violation.unless(
        place.number >= 0 && place.number < winner.nextBlock(place.partition),
        NO_WRONG_BYTES,
        () -> "no such block was written: " + place);
    Written written = winner.blocks(place.partition).get(place.number);
    Violation.unless(
        payload.equals(ByteBuffer.wrap(written.payload()))
            && block.continues() == written.continues(),
        NO_WRONG_BYTES,
        () -> "not what was written: " + place);
    BitSet numbers = seen.computeIfAbsent(key(place.partition, place.map), k -> new BitSet());
    Violation.unless(!numbers.get(place.number), EXACTLY_ONCE, () -> "delivered twice: " + place);
    numbers.set(place.number);
  }

  /** The reader says that this was all. */
  public void ended() {
    Violation.unless(
        continued == null, NO_WRONG_BYTES, () -> "the end comes within a record: " + continued);
    for (AttemptLog winner : winners.values()) {
      for (int partition = firstPartition; partition < endPartition; partition++) {
        ended(winner, partition);
      }
    }
  }

  private void ended(AttemptLog winner, int partition) {
    int written = winner.nextBlock(partition);
    BitSet numbers = seen.get(key(partition, winner.map()));
    int found = numbers == null ? 0 : numbers.cardinality();
    Violation.unless(
        found == written,
        ACKNOWLEDGED_BLOCKS_ARE_READABLE,
        () ->
            String.format(
                Locale.ROOT,
                "map %d, partition %d: %d of %d blocks, and no word of it",
                winner.map(),
                partition,
                found,
                written));
  }

  private static String place(Block block) {
    return "partition " + block.partition() + ", map " + block.mapIndex();
  }

  private static long key(int partition, int map) {
    return (long) partition << Integer.SIZE | map;
  }

  private record Place(int partition, int map, int number) {}
}

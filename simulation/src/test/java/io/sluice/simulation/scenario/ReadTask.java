package io.sluice.simulation.scenario;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.BlockReader.Block;
import io.sluice.client.MissingBlocksException;
import io.sluice.simulation.invariant.AttemptLog;
import io.sluice.simulation.invariant.ReadBook;
import io.sluice.simulation.task.SimTask;
import io.sluice.simulation.time.Dice;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads a range of partitions and maps and compares every block with what was written. */
final class ReadTask implements SimTask.Body {
  private static final long LONGEST_PAUSE_NANOS = 50_000_000;
  private static final int MOST_BREAKS = 3;
  private static final int MANY_BLOCKS = 200;

  // Longer ones would only make the simulation longer.
  private static final long LONGEST_DEADLINE_NANOS = 20_000_000_000L;

  private final Stage stage;
  private final Range range;
  private final long deadlineNanos;
  private final Map<Integer, AttemptLog> winners;
  private final Dice dice;
  private final UnaryOperator<BlockReader> wrapper;
  private @Nullable MissingBlocksException missing;

  /**
   * @param deadlineNanos of the client; tasks may take longer for what they have got
   */
  ReadTask(
      Stage stage, Range range, long deadlineNanos, Dice dice, UnaryOperator<BlockReader> wrapper) {
    this(stage, range, deadlineNanos, range.of(stage.winners()), dice, wrapper);
  }

  private ReadTask(
      Stage stage,
      Range range,
      long deadlineNanos,
      Map<Integer, AttemptLog> winners,
      Dice dice,
      UnaryOperator<BlockReader> wrapper) {
    this.stage = stage;
    this.range = range;
    this.deadlineNanos = deadlineNanos;
    this.winners = winners;
    this.dice = dice;
    this.wrapper = wrapper;
  }

  /** The same read, without the maps that this one has reported missing. */
  ReadTask ofTheRest() {
    Map<Integer, AttemptLog> rest = new TreeMap<>(winners);
    if (missing != null) {
      missing.maps().forEach(map -> rest.remove(map.mapIndex()));
    }
    return new ReadTask(stage, range, deadlineNanos, rest, dice.fork(), wrapper);
  }

  @Override
  public void run(SimTask task) throws InterruptedException {
    missing = null;
    ReadBook book = new ReadBook(winners, range.firstPartition(), range.endPartition());
    boolean slow = dice.chance(0.2);
    int breaks = breaks();
    try (BlockReader reader =
        wrapper.apply(
            stage
                .readers()
                .read(
                    stage.placement(),
                    range.firstPartition(),
                    range.endPartition(),
                    range.firstMap(),
                    range.endMap(),
                    expected()))) {
      Block block;
      while ((block = reader.next()) != null) {
        book.delivered(block);
        if (slow && dice.chance(0.2)) {
          task.pause(dice.skewed(1, LONGEST_PAUSE_NANOS));
        }
        if (breaks > 0 && dice.chance(0.1)) {
          breaks--;
          task.pause(dice.skewed(deadlineNanos / 2, 2 * deadlineNanos));
        }
      }
      book.ended();
    } catch (MissingBlocksException e) {
      missing = e;
    }
  }

  /** How often the task is busy for longer than the deadline; where it hurts, while much waits. */
  private int breaks() {
    int blocks = 0;
    for (AttemptLog winner : winners.values()) {
      for (int p = range.firstPartition(); p < range.endPartition(); p++) {
        blocks += winner.nextBlock(p);
      }
    }
    boolean takes = dice.chance(0.1) || blocks > MANY_BLOCKS;
    return takes && deadlineNanos <= LONGEST_DEADLINE_NANOS ? MOST_BREAKS : 0;
  }

  private ArrayExpectedMaps expected() {
    ArrayExpectedMaps.Builder expected =
        ArrayExpectedMaps.builder(range.firstPartition(), range.endPartition());
    for (AttemptLog winner : winners.values()) {
      int position = expected.add(winner.map(), winner.attempt());
      expected.epochs(winner.firstEpoch(), winner.lastEpoch());
      for (int p = range.firstPartition(); p < range.endPartition(); p++) {
        if (winner.nextBlock(p) > 0) {
          expected.nonEmpty(position, p);
        }
      }
    }
    return expected.build();
  }

  /** What the reader has reported missing, or null if it has found everything. */
  @Nullable MissingBlocksException missing() {
    return missing;
  }

  Map<Integer, AttemptLog> winners() {
    return winners;
  }

  @Override
  public String toString() {
    return "read of " + range;
  }

  /** What a reader asks for. */
  record Range(int firstPartition, int endPartition, int firstMap, int endMap) {
    static Range draw(Workload workload, Dice dice) {
      int first = dice.between(0, workload.partitions() - 1);
      int end = dice.between(first + 1, workload.partitions());
      if (dice.chance(0.5)) {
        return new Range(first, end, 0, Integer.MAX_VALUE);
      }
      int firstMap = dice.between(0, workload.maps() - 1);
      return new Range(first, end, firstMap, dice.between(firstMap + 1, workload.maps()));
    }

    static Range all(Workload workload) {
      return new Range(0, workload.partitions(), 0, Integer.MAX_VALUE);
    }

    Map<Integer, AttemptLog> of(Map<Integer, AttemptLog> all) {
      Map<Integer, AttemptLog> part = new TreeMap<>(all);
      part.keySet().removeIf(map -> map < firstMap || map >= endMap);
      return part;
    }
  }
}

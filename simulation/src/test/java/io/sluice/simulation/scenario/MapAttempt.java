package io.sluice.simulation.scenario;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import io.sluice.simulation.invariant.AttemptLog;
import io.sluice.simulation.invariant.ReadBook;
import io.sluice.simulation.task.SimTask;
import io.sluice.simulation.time.Dice;
import java.nio.ByteBuffer;

/** Pushes random blocks, at random moments, and keeps what it has written. */
final class MapAttempt implements SimTask.Body {
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private final Stage stage;
  private final Workload workload;
  private final AttemptLog written;
  private final Dice dice;
  private final byte[] payload;

  MapAttempt(Stage stage, Workload workload, AttemptLog written, Dice dice) {
    this.stage = stage;
    this.workload = workload;
    this.written = written;
    this.dice = dice;
    this.payload = new byte[workload.maxPayloadBytes()];
    dice.fill(payload);
  }

  @Override
  public void run(SimTask task) throws InterruptedException {
    int blocks = dice.between(0, workload.blocksPerAttempt());
    try (MapOutput output =
        stage.writers().openMapOutput(stage.placement(), written.map(), written.attempt())) {
      for (int i = 0; i < blocks; i++) {
        if (dice.chance(0.2)) {
          task.pause(dice.skewed(1, LONGEST_PAUSE_NANOS));
        }
        writeSome(output);
        if (dice.chance(0.02)) {
          output.flush();
        }
      }
      output.finish();
      written.used(output.firstEpoch(), output.lastEpoch());
    }
  }

  /** One block, or a few that one record spans. */
  private void writeSome(MapOutput output) throws InterruptedException {
    int partition = dice.between(0, workload.partitions() - 1);
    int spanning = dice.chance(0.05) ? dice.between(1, 3) : 0;
    for (int i = spanning; i >= 0; i--) {
      write(output, partition, i > 0);
    }
  }

  private void write(MapOutput output, int partition, boolean continues)
      throws InterruptedException {
    int length = (int) dice.skewed(ReadBook.NUMBER_BYTES, payload.length);
    ByteBuffer room =
        output.beginBlock(
            partition, Math.min(output.maxBlockBytes(), length + dice.between(0, 99)));
    if (dice.chance(0.02)) {
      room.put((byte) 1);
      output.cancelBlock();
      room = output.beginBlock(partition, length);
    }
    // The same random bytes, turned to another start, so that no two blocks are alike.
    byte[] bytes = new byte[length];
    int turn = dice.between(0, payload.length - 1);
    int first = Math.min(length, payload.length - turn);
    System.arraycopy(payload, turn, bytes, 0, first);
    System.arraycopy(payload, 0, bytes, first, length - first);
    ByteBuffer.wrap(bytes).putInt(0, written.nextBlock(partition));
    room.put(bytes);
    written.wrote(partition, bytes, continues);
    output.endBlock(length, length, 1, continues ? BlockHeader.CONTINUES : 0);
  }
}

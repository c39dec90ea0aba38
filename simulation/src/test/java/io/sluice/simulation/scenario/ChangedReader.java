package io.sluice.simulation.scenario;

import io.sluice.client.BlockReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A reader that changes one block in ten on its way to the task. */
final class ChangedReader implements BlockReader {
  /** What becomes of such a block. */
  enum Change {
    TWICE,
    NEVER,
    OTHER_BYTES,
    /** The reader fails instead. */
    FAILS,
    THROWS
  }

  private static final int ONE_IN = 10;

  private final BlockReader reader;
  private final Change change;
  private @Nullable Block last;
  private int delivered;

  ChangedReader(BlockReader reader, Change change) {
    this.reader = reader;
    this.change = change;
  }

  @Override
  public @Nullable Block next() throws InterruptedException {
    boolean changed = ++delivered % ONE_IN == 0;
    if (changed && change == Change.TWICE && last != null) {
      return last;
    }
    last = reader.next();
    if (last == null || !changed) {
      return last;
    }
    return switch (change) {
      case TWICE -> last;
      case NEVER -> reader.next();
      case OTHER_BYTES -> new Damaged(last);
      case FAILS -> throw Sabotages.failure();
      case THROWS -> throw new IllegalStateException("sabotage");
    };
  }

  @Override
  public long bytesRead() {
    return reader.bytesRead();
  }

  @Override
  public long waitNanos() {
    return reader.waitNanos();
  }

  @Override
  public void close() {
    reader.close();
  }

  /** The last byte is another one. */
  private record Damaged(Block block) implements Block {
    @Override
    public int partition() {
      return block.partition();
    }

    @Override
    public int mapIndex() {
      return block.mapIndex();
    }

    @Override
    public long attemptId() {
      return block.attemptId();
    }

    @Override
    public int sequence() {
      return block.sequence();
    }

    @Override
    public int codec() {
      return block.codec();
    }

    @Override
    public boolean continues() {
      return block.continues();
    }

    @Override
    public int rawLength() {
      return block.rawLength();
    }

    @Override
    public int recordCount() {
      return block.recordCount();
    }

    @Override
    public ByteBuffer payload() {
      ByteBuffer honest = block.payload().duplicate();
      ByteBuffer copy = ByteBuffer.allocate(honest.remaining()).put(honest).flip();
      int end = copy.limit() - 1;
      return copy.put(end, (byte) ~copy.get(end));
    }
  }
}

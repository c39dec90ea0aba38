package io.sluice.server.replication;

import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.server.partition.LeasedBlocks;
import io.sluice.server.partition.Shuffle;
import io.sluice.transport.FailedReplica;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What one connection brings that goes on to others: gathered to batches of consecutive blocks of
 * one handle, one for each read at least. On the connection's event loop.
 */
public final class Forwarding {
  /** A batch is sent on when it has come to as much, about one receive buffer. */
  private static final int BATCH_BYTES = 256 << 10;

  /** Who answers for the blocks. On the connection's event loop. */
  public interface Answerer {
    /** Enough members hold blocks, which cost so much and are so many bytes. */
    void held(long first, int count, long charge, long bytes);

    /** Too few members take blocks. */
    void refused(long first, int count, long charge, List<FailedReplica> failed);
  }

  private final Replication replication;
  private final Executor loop;
  private final Answerer answerer;
  private final ReplicaBatch.Owner owner = new Owner();
  private @Nullable ReplicaBatch batch;
  private boolean closed;

  public Forwarding(Replication replication, Executor loop, Answerer answerer) {
    this.replication = replication;
    this.loop = loop;
    this.answerer = answerer;
  }

  /**
   * Where to leave leases on the next block, once it is stored, or null if it goes no further.
   *
   * @param shuffle where it is stored
   * @param number of the block
   */
  public @Nullable LeasedBlocks leases(ShuffleHandle handle, Shuffle shuffle, long number) {
    if (handle.others().isEmpty()) {
      return null;
    }
    ReplicaBatch current = batch;
    if (current != null
        && (current.shuffle() != shuffle
            || current.members() != handle.others()
            || current.firstNumber() + current.blocks().blocks() != number)) {
      send();
      current = null;
    }
    if (current == null) {
      current = new ReplicaBatch(shuffle, handle.others(), replication.rule(), number, owner);
      batch = current;
    }
    return current.blocks();
  }

  /** The block is stored, and leases on it are taken. */
  public void stored(long charge) {
    ReplicaBatch current = batch;
    if (current == null) {
      throw new IllegalStateException("nothing was leased");
    }
    current.added(charge);
    if (current.blocks().bytes() >= BATCH_BYTES) {
      send();
    }
  }

  /** Sends on what was gathered. */
  public void send() {
    ReplicaBatch current = batch;
    batch = null;
    if (current != null && current.blocks().blocks() > 0) {
      replication.send(current);
    }
  }

  /** The connection is gone: what is under way goes on, and nobody is told. */
  public void close() {
    send();
    closed = true;
  }

  private final class Owner implements ReplicaBatch.Owner {
    @Override
    public void held(ReplicaBatch held) {
      long bytes = held.blocks().bytes();
      loop.execute(
          () -> {
            if (!closed) {
              answerer.held(held.firstNumber(), held.blocks().blocks(), held.charge(), bytes);
            }
          });
    }

    @Override
    public void failed(ReplicaBatch refused, List<FailedReplica> failed) {
      loop.execute(
          () -> {
            if (!closed) {
              answerer.refused(
                  refused.firstNumber(), refused.blocks().blocks(), refused.charge(), failed);
            }
          });
    }
  }
}

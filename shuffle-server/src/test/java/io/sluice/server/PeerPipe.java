package io.sluice.server;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A connection of one core to another without a network: each call on one side is a task on the
 * other. Refuses what the protocol forbids.
 */
final class PeerPipe implements ClientLink {
  private final Executor up;
  private final Executor down;
  private final ReplicaCluster.Node to;
  private final ClientSession client;
  private final Far far = new Far();
  private final ServerSession server;
  private boolean open = true;
  private boolean frozen;
  private boolean introduced;
  private long nextBlock;

  /**
   * @param loop of the one who connects
   * @param info what the other one is told of it
   */
  PeerPipe(
      World world, Executor loop, PeerInfo info, ReplicaCluster.Node to, ClientSession client) {
    this.up = world.executor();
    this.down = loop;
    this.to = to;
    this.client = client;
    ServerSessionFactory.Accepted accepted = to.core.accept(info, far);
    this.server = accepted.session();
    down(() -> client.connected(this, to.identity, accepted.seedCredit(), CoreFixture.MAX_BLOCK));
  }

  ReplicaCluster.Node to() {
    return to;
  }

  /** Nothing arrives from here on, either way. */
  void freeze() {
    frozen = true;
  }

  /** Ends it, as a lost connection does. */
  void cut(ErrorCode code) {
    if (!open) {
      return;
    }
    open = false;
    up.execute(() -> server.closed());
    down.execute(() -> client.closed(new SluiceException(code, "cut by the test")));
  }

  private void up(Runnable step) {
    up.execute(
        () -> {
          if (open && !frozen) {
            step.run();
            server.readComplete();
          }
        });
  }

  private void down(Runnable step) {
    down.execute(
        () -> {
          if (open && !frozen) {
            step.run();
            client.readComplete();
          }
        });
  }

  @Override
  public Executor executor() {
    return down;
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    introduced = true;
    up(() -> server.open(handle, shuffle, incarnation, others));
  }

  @Override
  public int maxHandles() {
    return 4096;
  }

  @Override
  public void release(int handle) {
    up(() -> server.release(handle));
  }

  @Override
  public void push(int handle, int blockCount, OutgoingData blocks) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(blocks.length());
    for (ByteBuffer buffer : blocks.buffers()) {
      bytes.put(buffer.duplicate());
    }
    blocks.close();
    up(
        () -> {
          int at = 0;
          for (int i = 0; i < blockCount; i++) {
            boolean matches = BlockHeader.crcMatches(bytes, at, new Crc32c());
            server.block(handle, nextBlock++, bytes, at, matches);
            at += BlockHeader.LENGTH + BlockHeader.storedLength(bytes, at);
          }
          if (at != bytes.capacity()) {
            throw new AssertionError("blocks do not fill their frame");
          }
        });
  }

  @Override
  public void push(int handle, int blockCount, ByteBuf blocks) {
    throw new AssertionError("servers push from their chunks");
  }

  @Override
  public void want(long bytes) {
    if (!introduced) {
      throw new AssertionError("nobody knows whose WANT it is");
    }
    up(() -> server.want(bytes));
  }

  @Override
  public void returnCredit(long bytes) {
    up(() -> server.creditReturned(bytes));
  }

  @Override
  public void fetch(FetchRequest request) {
    throw new AssertionError("servers do not fetch from each other");
  }

  @Override
  public void fetchCredit(int stream, long bytes) {}

  @Override
  public void fetchCancel(int stream) {}

  @Override
  public void damaged(int stream, DamagedBlock block) {}

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    cut(ErrorCode.CONNECTION_LOST);
  }

  @Override
  public void abort(SluiceException cause) {
    cut(cause.code());
  }

  /** The server's end. */
  private final class Far implements ServerLink {
    @Override
    public String peer() {
      return "peer";
    }

    @Override
    public Executor executor() {
      return up;
    }

    @Override
    public void ack(long first, int count, long refund) {
      down(() -> client.acked(first, count, refund));
    }

    @Override
    public void nack(long first, int count, long refund, ErrorCode code) {
      down(() -> client.nacked(first, count, refund, code));
    }

    @Override
    public void replicasFailed(List<FailedReplica> failed) {
      throw new AssertionError("replicas go no further");
    }

    @Override
    public void explain(ErrorCode code, String why) {}

    @Override
    public void grant(long bytes) {
      down(() -> client.granted(bytes));
    }

    @Override
    public void refuseWant(ErrorCode code) {
      down(() -> client.wantRefused(code));
    }

    @Override
    public void reclaim(long bytes) {
      down(() -> client.reclaimed(bytes));
    }

    @Override
    public void data(int stream, int partition, OutgoingData data) {
      throw new AssertionError("nothing was asked for");
    }

    @Override
    public void streamEnd(int stream, long blocks, long bytes) {
      throw new AssertionError("nothing was asked for");
    }

    @Override
    public void streamFailed(int stream, ErrorCode code, String message) {
      throw new AssertionError("nothing was asked for");
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void flush() {}

    @Override
    public void close(ErrorCode code, String message) {
      cut(code);
    }
  }
}

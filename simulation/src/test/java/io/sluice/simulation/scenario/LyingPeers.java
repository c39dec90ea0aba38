package io.sluice.simulation.scenario;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import io.sluice.server.replication.PeerConnector;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.concurrent.Executor;

/** Other servers that acknowledge every replica at once and hold none. */
record LyingPeers(PeerConnector honest) implements PeerConnector {
  private static final int LARGEST_BLOCK = 1 << 20;

  @Override
  public Scheduler loop() {
    return honest.loop();
  }

  @Override
  public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
    ServerIdentity identity = new ServerIdentity(member.id(), member.incarnation());
    loop.execute(
        () ->
            session.connected(
                new Link(loop, session), identity, Long.MAX_VALUE / 2, LARGEST_BLOCK));
  }

  private static final class Link implements ClientLink {
    private final Scheduler loop;
    private final ClientSession session;
    private long next;

    Link(Scheduler loop, ClientSession session) {
      this.loop = loop;
      this.session = session;
    }

    @Override
    public Executor executor() {
      return loop;
    }

    @Override
    public void push(int handle, int blockCount, OutgoingData blocks) {
      blocks.close();
      long first = next;
      next += blockCount;
      loop.execute(
          () -> {
            session.acked(first, blockCount, 0);
            session.readComplete();
          });
    }

    @Override
    public void push(int handle, int blockCount, ByteBuf blocks) {
      throw new AssertionError("servers push from their chunks");
    }

    @Override
    public void open(
        int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {}

    @Override
    public int maxHandles() {
      return 4096;
    }

    @Override
    public void release(int handle) {}

    @Override
    public void want(long bytes) {}

    @Override
    public void returnCredit(long bytes) {}

    @Override
    public void fetch(FetchRequest request) {}

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
    public void close() {}

    @Override
    public void abort(SluiceException cause) {}
  }
}

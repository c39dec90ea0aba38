package io.sluice.server;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.segment.SegmentStore;
import java.util.ArrayList;
import java.util.List;

/** A small core in a {@link World}. */
final class CoreFixture {
  static final long MIB = 1 << 20;
  static final long SEED = 64 * 1024;
  static final int MAX_BLOCK = 200_000;
  static final int UNIT = 256 * 1024;
  static final long WANT_TIMEOUT = 10_000_000_000L;
  static final long IDLE = 5_000_000_000L;

  final World world;
  final List<MemoryStore> stores = new ArrayList<>();
  final ServerCore core;
  long incarnation = 5;

  CoreFixture(long seed, long arenaBytes, int disks) {
    this(seed, arenaBytes, disks, 16 * MIB);
  }

  CoreFixture(long seed, long arenaBytes, int disks, long tableBytes) {
    world = new World(seed);
    for (int i = 0; i < disks; i++) {
      stores.add(new MemoryStore("disk" + i, UNIT, world.executor()));
    }
    CreditLimits credit = new CreditLimits(SEED, 8, MAX_BLOCK, 2 * MIB, WANT_TIMEOUT, IDLE);
    FlushLimits flush =
        new FlushLimits(
            arenaBytes / 2, arenaBytes * 3 / 8, arenaBytes * 3 / 4, UNIT * 7 / 8, 1_000_000_000);
    core =
        new ServerCore(
            new CoreSettings(
                new CoreSettings.Memory(arenaBytes, tableBytes), UNIT, 16 * 1024, 4, credit, flush),
            new CoreSeams(
                world, world.executor(), () -> incarnation, List.<SegmentStore>copyOf(stores)));
  }

  TestPeer connect() {
    return new TestPeer(core, world.executor());
  }

  static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(1, 2), id, 0);
  }

  /** Pushes, asking for credit as a client would, until the block has left. */
  void push(TestPeer peer, int handle, TestBlock block) {
    while (!peer.push(handle, block)) {
      peer.session.readComplete();
      long before = peer.credit;
      peer.session.want(io.sluice.transport.TransportLimits.charge(block.stored()));
      world.settle();
      if (peer.credit == before) {
        throw new AssertionError("no credit for " + block + ": " + peer.refusals);
      }
    }
  }

  void finish(TestPeer peer) {
    peer.session.readComplete();
    world.settle();
  }

  /** Fetches everything of some partitions with ample credit. */
  TestPeer.Stream fetchAll(TestPeer peer, int handle, int partitions) {
    TestPeer.Stream stream = peer.fetch(handle, 0, partitions, 0, Integer.MAX_VALUE, 1L << 40);
    finish(peer);
    return stream;
  }
}

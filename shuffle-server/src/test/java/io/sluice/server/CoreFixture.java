package io.sluice.server;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.flush.TierLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import java.util.ArrayList;
import java.util.Collections;
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
    this(
        seed,
        new CoreSettings.Memory(arenaBytes, tableBytes),
        Collections.nCopies(disks, Tier.SSD),
        TierLimits.defaults());
  }

  CoreFixture(long seed, long arenaBytes, List<Tier> disks, TierLimits tiers) {
    this(seed, new CoreSettings.Memory(arenaBytes, 16 * MIB), disks, tiers);
  }

  private CoreFixture(long seed, CoreSettings.Memory memory, List<Tier> disks, TierLimits tiers) {
    world = new World(seed);
    long arenaBytes = memory.arenaBytes();
    for (Tier tier : disks) {
      stores.add(new MemoryStore("disk" + stores.size(), tier, UNIT, world.executor()));
    }
    CreditLimits credit = new CreditLimits(SEED, 8, MAX_BLOCK, 2 * MIB, WANT_TIMEOUT, IDLE);
    FlushLimits flush =
        new FlushLimits(
                arenaBytes / 2, arenaBytes * 3 / 8, arenaBytes * 3 / 4, UNIT * 7 / 8, 1_000_000_000)
            .withTiers(tiers);
    core =
        new ServerCore(
            new CoreSettings(memory, UNIT, 16 * 1024, 4, credit, flush),
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

package io.sluice.server;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.flush.TierLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;

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
  private final CoreSettings settings;
  ServerIdentity identity = new ServerIdentity(ServerId.of(3, 4), 5);

  CoreFixture(long seed, long arenaBytes, int disks) {
    this(seed, arenaBytes, disks, 16 * MIB);
  }

  CoreFixture(long seed, long arenaBytes, int disks, long tableBytes) {
    this(
        seed,
        new CoreSettings.Memory(arenaBytes, tableBytes),
        Collections.nCopies(disks, Tier.SSD),
        TierLimits.defaults(),
        QuotaLimits.NONE,
        ReplicationLimits.NONE);
  }

  CoreFixture(long seed, long arenaBytes, List<Tier> disks, TierLimits tiers) {
    this(
        seed,
        new CoreSettings.Memory(arenaBytes, 16 * MIB),
        disks,
        tiers,
        QuotaLimits.NONE,
        ReplicationLimits.NONE);
  }

  CoreFixture(long seed, long arenaBytes, int disks, QuotaLimits quotas) {
    this(
        seed,
        new CoreSettings.Memory(arenaBytes, 16 * MIB),
        Collections.nCopies(disks, Tier.SSD),
        TierLimits.defaults(),
        quotas,
        ReplicationLimits.NONE);
  }

  private CoreFixture(
      long seed,
      CoreSettings.Memory memory,
      List<Tier> disks,
      TierLimits tiers,
      QuotaLimits quotas,
      ReplicationLimits replication) {
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
    settings =
        new CoreSettings(
            memory, UNIT, new CoreSettings.Reads(16 * 1024, 4), credit, flush, quotas, replication);
    core = restarted();
  }

  /** Another core over the same disks, with the same settings. */
  ServerCore restarted() {
    return restarted(world.executor());
  }

  /** The same, which flushes on an executor. */
  ServerCore restarted(Executor flushing) {
    return new ServerCore(
        settings,
        new CoreSeams(world, flushing, () -> identity, List.<SegmentStore>copyOf(stores)));
  }

  /** The same with other buffers for reads. */
  ServerCore restarted(CoreSettings.Reads reads) {
    CoreSettings others =
        new CoreSettings(
            settings.memory(),
            settings.maxRunBytes(),
            reads,
            settings.credit(),
            settings.flush(),
            settings.quotas(),
            settings.replication());
    return new ServerCore(
        others,
        new CoreSeams(world, world.executor(), () -> identity, List.<SegmentStore>copyOf(stores)));
  }

  TestPeer connect() {
    return new TestPeer(core, world.executor());
  }

  static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(1, 2), id, 0);
  }

  /** Pushes, asking for credit as a client would, until the block has left. */
  void push(TestPeer peer, int handle, TestBlock block) {
    awaitCredit(peer, block);
    peer.push(handle, block);
  }

  /** The same with bytes of its own. */
  void push(TestPeer peer, int handle, TestBlock block, ByteBuffer bytes) {
    awaitCredit(peer, block);
    peer.pushRegardless(handle, block, bytes);
  }

  /** The same with a block that comes in two parts. */
  void pushInParts(TestPeer peer, int handle, TestBlock block) {
    awaitCredit(peer, block);
    peer.pushInParts(handle, block, block.stored() / 2 + 1);
  }

  private void awaitCredit(TestPeer peer, TestBlock block) {
    while (peer.credit < io.sluice.transport.TransportLimits.charge(block.stored())) {
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

  /** Of what was read from stores, not ended. */
  int leases() {
    return stores.stream().mapToInt(MemoryStore::leases).sum();
  }
}

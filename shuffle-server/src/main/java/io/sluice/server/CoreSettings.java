package io.sluice.server;

import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.flush.TierLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import java.util.concurrent.TimeUnit;

/**
 * The sizes of a server core.
 *
 * @param memory what blocks, and the tables that find them, may take
 * @param maxRunBytes blocks of a partition that go to disk as one extent; a unit must hold as many,
 *     and the largest block
 * @param reads buffers for reads from disk
 * @param quotas what a user, an application and a partition may hold
 * @param replication what is set aside for blocks from other servers
 */
public record CoreSettings(
    Memory memory,
    int maxRunBytes,
    Reads reads,
    CreditLimits credit,
    FlushLimits flush,
    QuotaLimits quotas,
    ReplicationLimits replication) {
  private static final long DISK_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * What a server is configured to, given what its memory plan leaves for blocks and reads.
   *
   * @param readBuffers of {@link MemoryPlan#READ_BUFFER} bytes each
   */
  public static CoreSettings of(ServerConfig config, Memory memory, int readBuffers) {
    ServerConfig.Limits limits = config.limits();
    CreditLimits credit = limits.credit(memory.arenaBytes());
    int unit = config.smallestUnit();
    // A unit counts as full at seven eighths: the next run of a partition rarely fits exactly.
    FlushLimits flush =
        FlushLimits.ofArena(
                memory.arenaBytes(), config.storage().flushStart(), unit / 8 * 7, DISK_RETRY_NANOS)
            .withTiers(
                new TierLimits(config.tiers().watermark(), config.tiers().hugePartitionBytes()));
    ReplicationLimits replication =
        new ReplicationLimits(
            ReplicationLimits.reserveOf(memory.arenaBytes(), credit), config.replicationAck());
    return new CoreSettings(
        memory,
        unit,
        new Reads(MemoryPlan.READ_BUFFER, readBuffers),
        credit,
        flush,
        limits.quotas(),
        replication);
  }

  /**
   * Buffers for reads from disk.
   *
   * @param bufferBytes size of one
   * @param buffers how many of these
   */
  public record Reads(int bufferBytes, int buffers) {}

  /**
   * What data may take.
   *
   * @param arenaBytes direct memory for blocks, in whole mebibytes
   * @param tableBytes heap for shuffles, partitions and extents
   */
  public record Memory(long arenaBytes, long tableBytes) {}
}

package io.sluice.server.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.replication.ReplicaStats;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The server's figures as Prometheus metrics, read when asked for. No application, shuffle or
 * partition is ever a label.
 */
public final class ServerMetrics {
  private static final double NANOS = 1e-9;

  private final PrometheusRegistry registry;

  private ServerMetrics(PrometheusRegistry registry) {
    this.registry = registry;
  }

  /**
   * Registers everything.
   *
   * @param admitted whether a coordinator takes this server for one of its own now; any thread
   */
  public static void register(
      PrometheusRegistry registry,
      ServerStats stats,
      ReplicaStats replicas,
      ServerGauges gauges,
      List<? extends SegmentStore> stores,
      BooleanSupplier admitted) {
    ServerMetrics metrics = new ServerMetrics(registry);
    metrics.gauge(
        "admitted",
        "1 if a coordinator has admitted this server, and has it still.",
        () -> admitted.getAsBoolean() ? 1 : 0);
    metrics.traffic(stats);
    metrics.replicas(stats, replicas);
    metrics.memory(gauges);
    metrics.flush(stats);
    metrics.disks(gauges, stores);
  }

  /** Registers how many connections wait in line; they are not among those of the traffic. */
  public static void registerWaiting(PrometheusRegistry registry, DoubleSupplier waiting) {
    new ServerMetrics(registry)
        .gauge(
            "connections_waiting",
            "Connections that wait until others of their address have said who they are.",
            waiting);
  }

  private void traffic(ServerStats stats) {
    gauge("connections", "Clients connected.", stats::connections);
    CounterWithCallback.builder()
        .name("sluice_server_authentications_total")
        .help("Proofs of who a client is, by the kind proved or the reason of the refusal.")
        .labelNames("outcome")
        .callback(
            values ->
                stats
                    .admissions()
                    .outcomes()
                    .forEach((outcome, count) -> values.call((double) count, outcome)))
        .register(registry);
    counter("pushed_blocks", "Blocks stored.", stats::pushedBlocks);
    counter("pushed_bytes", "Bytes of blocks stored, headers included.", stats::pushedBytes);
    byCode("refused_blocks", "Blocks refused, by reason.", stats::nacks);
    counter("fetches", "Fetch streams begun.", stats::fetches);
    byCode("failed_fetches", "Fetch streams that failed, by reason.", stats::failedFetches);
    counter(
        "reader_corrupt_blocks",
        "Reports of readers that blocks sent to them were damaged: one for each fetch that found any,"
            + " and one for each partition whose last block never ended.",
        stats::damageReports);
    counter(
        "damaged_extents",
        "Extents cut off before a damaged header, which hid what comes behind it.",
        stats::cutExtents);
    counter("fetched_blocks", "Blocks sent by streams that ended well.", stats::fetchedBlocks);
    counter("fetched_bytes", "Bytes of blocks sent to readers.", stats::fetchedBytes);
    counter("read_bytes", "Bytes read from disks for readers.", stats::readBytes);
    counter("refused_wants", "Requests for credit that timed out.", stats::refusedWants);
  }

  private void replicas(ServerStats stats, ReplicaStats replicas) {
    counter("replica_received_blocks", "Blocks stored for other servers.", stats::replicaBlocks);
    counter("replica_received_bytes", "Bytes of these.", stats::replicaBytes);
    counter("replica_sent_blocks", "Blocks sent on to other servers.", replicas::sentBlocks);
    counter("replica_sent_bytes", "Bytes of these.", replicas::sentBytes);
    gauge(
        "replica_pending_bytes",
        "Bytes of blocks that other servers do not hold yet, once for each of them.",
        replicas::pendingBytes);
    byCode(
        "replica_failed_batches",
        "Batches of blocks that another server did not take, by reason.",
        replicas::failures);
  }

  private void memory(ServerGauges gauges) {
    gauge("arena_capacity_bytes", "Memory for shuffle data.", gauges::arenaCapacity);
    gauge("arena_chunk_bytes", "Memory that chunks of data take.", gauges::chunkBytes);
    gauge("flushing_bytes", "Blocks that are on their way to disks.", gauges::flushingBytes);
    gauge("arena_free_bytes", "Memory that is neither data nor promised.", gauges::free);
    gauge("arena_allocated_bytes", "Memory taken from the system so far.", gauges::slabBytes);
    gauge("credit_bytes", "Memory promised to clients and to seeds.", gauges::credit);
    gauge(
        "table_capacity_bytes",
        "Heap for tables of partitions and extents; no blocks are taken beyond.",
        gauges::tableCapacity);
    gauge("table_bytes", "Heap that these tables take.", gauges::tableBytes);
    gauge("wants_waiting", "Requests for credit that wait for memory.", gauges::wantsWaiting);
    gauge("read_buffers_in_use", "Buffers being filled or sent.", gauges::readBuffersInUse);
    gauge(
        "leased_bytes",
        "Memory of chunks with bytes on their way to readers.",
        gauges::leasedBytes);
    gauge("lease_capacity_bytes", "The most that these may be.", gauges::leaseCapacity);
    gauge(
        "fetches_waiting_for_lease",
        "Fetch streams that wait because these are as many.",
        gauges::leasesWaiting);
    gauge("shuffles", "Shuffles with data here.", gauges::shuffles);
    gauge("partitions", "Partitions with data here.", gauges::partitions);
    gauge("extents", "Extents of these partitions on disks.", gauges::extents);
    gauge(
        "applications_at_quota",
        "Applications whose blocks are refused because they, or partitions of theirs, hold all they"
            + " may, or because they have too many partitions.",
        gauges::applicationsAtQuota);
    gauge(
        "users_at_quota",
        "Users whose applications together hold all they may, so that blocks are refused.",
        gauges::usersAtQuota);
  }

  private void flush(ServerStats stats) {
    counter("flushed_units", "Units written to disks.", stats::flushedUnits);
    counter("flushed_bytes", "Bytes of blocks written to disks.", stats::flushedBytes);
    counter(
        "flush_seconds",
        "Time from the copy to the end of a unit.",
        () -> stats.flushNanos() * NANOS);
    counter("failed_flushes", "Units that could not be written.", stats::failedFlushes);
  }

  private void disks(ServerGauges gauges, List<? extends SegmentStore> stores) {
    byDisk("disk_capacity_bytes", "Size of the disk.", stores, s -> s.usage().capacity());
    byDisk("disk_free_bytes", "Space left on the disk.", stores, s -> s.usage().free());
    byDisk("disk_segments", "Segment files.", stores, s -> s.usage().segments());
    byDisk("disk_open_files", "Segment files held open.", stores, s -> s.usage().openFiles());
    byDisk("disk_healthy", "1 if it is not fenced.", stores, s -> s.usage().healthy() ? 1 : 0);
    byDisk(
        "disk_slow",
        "1 if it takes seconds for a unit, and is passed by where another is better.",
        stores,
        s -> gauges.slow(s) ? 1 : 0);
    countByDisk(
        "disk_payload_written_bytes",
        "Bytes of blocks written.",
        stores,
        s -> s.usage().payloadBytesWritten());
    countByDisk(
        "disk_written_bytes",
        "All bytes written, padding and catalog included.",
        stores,
        s -> s.usage().bytesWritten());
    countByDisk("disk_read_bytes", "Bytes read.", stores, s -> s.usage().bytesRead());
    byDisk(
        "disk_segments_unlinking",
        "Segments of removed shuffles whose files are still there.",
        stores,
        s -> s.activity().unlinking());
    byDisk(
        "disk_units_staged",
        "Units being filled or written, each with a staging buffer.",
        stores,
        s -> s.activity().staged());
    diskAccesses(stores);
    diskReads(stores);
  }

  private void diskAccesses(List<? extends SegmentStore> stores) {
    countByDisk("disk_reads", "Reads that have ended.", stores, s -> s.activity().io().reads());
    countByDisk(
        "disk_read_seconds",
        "Time that reads took, together.",
        stores,
        s -> s.activity().io().readNanos() * NANOS);
    countByDisk(
        "disk_writes", "Units whose write has ended.", stores, s -> s.activity().io().writes());
    countByDisk(
        "disk_write_seconds",
        "Time that writes of units took, together.",
        stores,
        s -> s.activity().io().writeNanos() * NANOS);
    countByDisk(
        "disk_busy_seconds",
        "Time with anything under way: its rate is the utilisation.",
        stores,
        s -> s.activity().io().busyNanos() * NANOS);
    countByDisk("disk_fences", "Times the disk was fenced.", stores, s -> s.activity().fences());
    byDisk(
        "disk_accesses", "Reads and writes under way.", stores, s -> s.activity().io().underWay());
  }

  private void diskReads(List<? extends SegmentStore> stores) {
    countByDisk(
        "disk_requested_bytes",
        "Bytes that readers wanted; bytes read over these is the read amplification.",
        stores,
        s -> s.activity().reads().requestedBytes());
    countByDisk(
        "disk_requests", "Ranges readers wanted.", stores, s -> s.activity().reads().requests());
    countByDisk(
        "disk_cache_hits",
        "Wanted ranges found in memory.",
        stores,
        s -> s.activity().reads().hits());
    countByDisk(
        "disk_cache_hit_bytes",
        "Bytes found in memory.",
        stores,
        s -> s.activity().reads().hitBytes());
    countByDisk(
        "disk_copied_bytes",
        "Bytes copied out of windows instead of leased: few at a time, a spindle's, damage"
            + " looked for, or too many windows leased.",
        stores,
        s -> s.activity().reads().copiedBytes());
    byDisk(
        "disk_requests_waiting",
        "Wanted ranges that are not there yet.",
        stores,
        s -> s.activity().reads().now().requests());
    byDisk(
        "disk_cache_bytes",
        "Memory in windows.",
        stores,
        s -> s.activity().reads().now().cachedBytes());
    byDisk(
        "disk_cache_leased_bytes",
        "Memory that readers keep in place while they send from it, in whole blocks.",
        stores,
        s -> s.activity().reads().now().leasedBytes());
    byDisk(
        "disk_cache_capacity_bytes",
        "Memory for windows.",
        stores,
        s -> s.activity().reads().now().cacheBytes());
    byDisk(
        "disk_prefetch_bytes",
        "How much is read around what is wanted.",
        stores,
        s -> s.activity().reads().now().prefetchBytes());
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }

  private void counter(String name, String help, DoubleSupplier value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }

  /**
   * What is not the caller's fault is there from the start, at zero: alerts are about that, and one
   * on a counter that comes into being at one sees no growth.
   */
  private void byCode(String name, String help, ToLongFunction<ErrorCode> value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("code")
        .callback(
            callback -> {
              for (ErrorCode code : ErrorCode.values()) {
                long count = value.applyAsLong(code);
                if (count > 0 || code.blame() != Blame.CALLER) {
                  callback.call((double) count, code.name());
                }
              }
            })
        .register(registry);
  }

  private void byDisk(
      String name,
      String help,
      List<? extends SegmentStore> stores,
      ToDoubleFunction<SegmentStore> value) {
    GaugeWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(store -> callback.call(value.applyAsDouble(store), store.name())))
        .register(registry);
  }

  private void countByDisk(
      String name,
      String help,
      List<? extends SegmentStore> stores,
      ToDoubleFunction<SegmentStore> value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(store -> callback.call(value.applyAsDouble(store), store.name())))
        .register(registry);
  }
}

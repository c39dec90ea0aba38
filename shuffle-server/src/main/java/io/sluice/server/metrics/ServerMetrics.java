package io.sluice.server.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.segment.DiskActivity;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
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

  /** Registers everything. */
  public static void register(
      PrometheusRegistry registry,
      ServerStats stats,
      ServerGauges gauges,
      List<? extends SegmentStore> stores) {
    ServerMetrics metrics = new ServerMetrics(registry);
    metrics.traffic(stats);
    metrics.memory(gauges);
    metrics.flush(stats);
    metrics.disks(stores);
  }

  private void traffic(ServerStats stats) {
    gauge("connections", "Clients connected.", stats::connections);
    counter("pushed_blocks", "Blocks stored.", stats::pushedBlocks);
    counter("pushed_bytes", "Bytes of blocks stored, headers included.", stats::pushedBytes);
    byCode("refused_blocks", "Blocks refused, by reason.", stats::nacks);
    counter("fetches", "Fetch streams begun.", stats::fetches);
    byCode("failed_fetches", "Fetch streams that failed, by reason.", stats::failedFetches);
    counter(
        "reader_corrupt_blocks",
        "Reports of readers that a block sent to them was damaged.",
        stats::damageReports);
    counter("fetched_blocks", "Blocks sent by streams that ended well.", stats::fetchedBlocks);
    counter("fetched_bytes", "Bytes of blocks sent to readers.", stats::fetchedBytes);
    counter("read_bytes", "Bytes read from disks for readers.", stats::readBytes);
    counter("refused_wants", "Requests for credit that timed out.", stats::refusedWants);
  }

  private void memory(ServerGauges gauges) {
    gauge("arena_capacity_bytes", "Memory for shuffle data.", gauges::arenaCapacity);
    gauge("arena_chunk_bytes", "Memory that chunks of data take.", gauges::chunkBytes);
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
    gauge("shuffles", "Shuffles with data here.", gauges::shuffles);
    gauge("partitions", "Partitions with data here.", gauges::partitions);
    gauge("extents", "Extents of these partitions on disks.", gauges::extents);
    gauge(
        "applications_at_quota",
        "Applications whose blocks are refused because they, or partitions of theirs, hold all they"
            + " may.",
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

  private void disks(List<? extends SegmentStore> stores) {
    byDisk("disk_capacity_bytes", "Size of the disk.", stores, u -> u.capacity());
    byDisk("disk_free_bytes", "Space left on the disk.", stores, u -> u.free());
    byDisk("disk_segments", "Segment files.", stores, u -> u.segments());
    byDisk("disk_open_files", "Segment files held open.", stores, u -> u.openFiles());
    byDisk("disk_healthy", "1 if it is not fenced.", stores, u -> u.healthy() ? 1 : 0);
    countByDisk(
        "disk_payload_written_bytes",
        "Bytes of blocks written.",
        stores,
        u -> u.payloadBytesWritten());
    countByDisk(
        "disk_written_bytes",
        "All bytes written, padding and catalog included.",
        stores,
        u -> u.bytesWritten());
    countByDisk("disk_read_bytes", "Bytes read.", stores, u -> u.bytesRead());
    diskAccesses(stores);
    diskReads(stores);
  }

  private void diskAccesses(List<? extends SegmentStore> stores) {
    countActivity("disk_reads", "Reads that have ended.", stores, a -> a.io().reads());
    countActivity(
        "disk_read_seconds",
        "Time that reads took, together.",
        stores,
        a -> a.io().readNanos() * NANOS);
    countActivity("disk_writes", "Units whose write has ended.", stores, a -> a.io().writes());
    countActivity(
        "disk_write_seconds",
        "Time that writes of units took, together.",
        stores,
        a -> a.io().writeNanos() * NANOS);
    countActivity(
        "disk_busy_seconds",
        "Time with anything under way: its rate is the utilisation.",
        stores,
        a -> a.io().busyNanos() * NANOS);
    countActivity("disk_fences", "Times the disk was fenced.", stores, a -> a.fences());
    activity("disk_accesses", "Reads and writes under way.", stores, a -> a.io().underWay());
  }

  private void diskReads(List<? extends SegmentStore> stores) {
    countActivity(
        "disk_requested_bytes",
        "Bytes that readers wanted; bytes read over these is the read amplification.",
        stores,
        a -> a.reads().requestedBytes());
    countActivity("disk_requests", "Ranges readers wanted.", stores, a -> a.reads().requests());
    countActivity(
        "disk_cache_hits", "Wanted ranges found in memory.", stores, a -> a.reads().hits());
    countActivity(
        "disk_cache_hit_bytes", "Bytes found in memory.", stores, a -> a.reads().hitBytes());
    activity(
        "disk_requests_waiting",
        "Wanted ranges that are not there yet.",
        stores,
        a -> a.reads().now().requests());
    activity("disk_cache_bytes", "Memory in windows.", stores, a -> a.reads().now().cachedBytes());
    activity(
        "disk_cache_capacity_bytes",
        "Memory for windows.",
        stores,
        a -> a.reads().now().cacheBytes());
    activity(
        "disk_prefetch_bytes",
        "How much is read around what is wanted.",
        stores,
        a -> a.reads().now().prefetchBytes());
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

  private void byCode(String name, String help, ToLongFunction<ErrorCode> value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("code")
        .callback(
            callback -> {
              for (ErrorCode code : ErrorCode.values()) {
                long count = value.applyAsLong(code);
                if (count > 0) {
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
      ToDoubleFunction<SegmentStore.DiskUsage> value) {
    GaugeWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(
                    store -> callback.call(value.applyAsDouble(store.usage()), store.name())))
        .register(registry);
  }

  private void activity(
      String name,
      String help,
      List<? extends SegmentStore> stores,
      ToDoubleFunction<DiskActivity> value) {
    GaugeWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(
                    store -> callback.call(value.applyAsDouble(store.activity()), store.name())))
        .register(registry);
  }

  private void countActivity(
      String name,
      String help,
      List<? extends SegmentStore> stores,
      ToDoubleFunction<DiskActivity> value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(
                    store -> callback.call(value.applyAsDouble(store.activity()), store.name())))
        .register(registry);
  }

  private void countByDisk(
      String name,
      String help,
      List<? extends SegmentStore> stores,
      ToDoubleFunction<SegmentStore.DiskUsage> value) {
    CounterWithCallback.builder()
        .name("sluice_server_" + name)
        .help(help)
        .labelNames("disk")
        .callback(
            callback ->
                stores.forEach(
                    store -> callback.call(value.applyAsDouble(store.usage()), store.name())))
        .register(registry);
  }
}

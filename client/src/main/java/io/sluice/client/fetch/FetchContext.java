package io.sluice.client.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.TaskSignal;
import io.sluice.common.time.Clock;

/** What all readers of a client share. Thread-safe. */
public final class FetchContext implements AutoCloseable {
  private final ClientConfig config;
  private final ByteBufAllocator allocator;
  private final TaskSignal.Factory signals;
  private final Clock clock;
  private final LongRecordMemory longRecords;

  public FetchContext(
      ClientConfig config, ByteBufAllocator allocator, TaskSignal.Factory signals, Clock clock) {
    this.config = config;
    this.allocator = allocator;
    this.signals = signals;
    this.clock = clock;
    this.longRecords = new LongRecordMemory(config.maxSpanningRecordBytes());
  }

  public ClientConfig config() {
    return config;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  TaskSignal.Factory signals() {
    return signals;
  }

  Clock clock() {
    return clock;
  }

  LongRecordMemory longRecords() {
    return longRecords;
  }

  /** Heap that readers fill with records that are longer than a block, or will. */
  public long longRecordBytes() {
    return longRecords.inUse();
  }

  /** Ends what waits for memory. */
  @Override
  public void close() {
    longRecords.close();
  }
}

package io.sluice.client.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.TaskSignal;
import io.sluice.common.time.Clock;

/** What all readers of a client share. Immutable. */
public final class FetchContext {
  private final ClientConfig config;
  private final ByteBufAllocator allocator;
  private final TaskSignal.Factory signals;
  private final Clock clock;

  public FetchContext(
      ClientConfig config, ByteBufAllocator allocator, TaskSignal.Factory signals, Clock clock) {
    this.config = config;
    this.allocator = allocator;
    this.signals = signals;
    this.clock = clock;
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
}

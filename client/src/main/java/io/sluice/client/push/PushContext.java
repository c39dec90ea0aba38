package io.sluice.client.push;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.TaskSignal;
import io.sluice.client.placement.Placements;
import io.sluice.common.time.Clock;

/** What all map outputs of a client share. Immutable. */
public final class PushContext {
  private final ClientConfig config;
  private final Placements placements;
  private final ByteBufAllocator allocator;
  private final TaskSignal.Factory signals;
  private final Clock clock;

  public PushContext(
      ClientConfig config,
      Placements placements,
      ByteBufAllocator allocator,
      TaskSignal.Factory signals,
      Clock clock) {
    this.config = config;
    this.placements = placements;
    this.allocator = allocator;
    this.signals = signals;
    this.clock = clock;
  }

  ClientConfig config() {
    return config;
  }

  Placements placements() {
    return placements;
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

package io.sluice.simulation.network;

import io.sluice.simulation.memory.TrackedAllocator;
import io.sluice.simulation.time.SimProcess;
import java.nio.ByteBuffer;

/** What a process has of the network: its name, its buffers. */
public final class Host {
  private final SimProcess process;
  private final TrackedAllocator allocator;
  private ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(0);

  public Host(SimProcess process, TrackedAllocator allocator) {
    this.process = process;
    this.allocator = allocator;
  }

  public SimProcess process() {
    return process;
  }

  public TrackedAllocator allocator() {
    return allocator;
  }

  /** The one receive buffer, whose contents are spoilt after each read. */
  ByteBuffer receiveBuffer(int atLeast) {
    if (receiveBuffer.capacity() < atLeast) {
      receiveBuffer = ByteBuffer.allocateDirect(Integer.highestOneBit(atLeast) * 2);
    }
    return receiveBuffer;
  }
}

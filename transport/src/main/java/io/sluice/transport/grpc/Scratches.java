package io.sluice.transport.grpc;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.transport.netty.EventLoops;
import java.util.IdentityHashMap;

/**
 * One byte array for each event loop, through which bytes are copied out of direct memory. Small
 * enough to stay in the first-level cache. Immutable.
 */
final class Scratches {
  private static final int BYTES = 8 * 1024;

  private final IdentityHashMap<EventExecutor, byte[]> arrays = new IdentityHashMap<>();

  Scratches(EventLoops loops) {
    for (EventExecutor loop : loops.group()) {
      arrays.put(loop, new byte[BYTES]);
    }
  }

  byte[] of(EventLoop loop) {
    byte[] array = arrays.get(loop);
    if (array == null) {
      throw new IllegalArgumentException("not an event loop of this group: " + loop);
    }
    return array;
  }
}

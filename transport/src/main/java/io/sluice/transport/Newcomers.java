package io.sluice.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have yet to be let in, by address: so that one address, which opens connections
 * and says nothing, does not take the places of all others. Thread-safe.
 */
final class Newcomers {
  private final int mostPerAddress;
  // Guarded by this; no entry is zero.
  private final Map<InetAddress, Integer> counts = new HashMap<>();

  Newcomers(int mostPerAddress) {
    this.mostPerAddress = mostPerAddress;
  }

  int mostPerAddress() {
    return mostPerAddress;
  }

  /** Counts one more, until what is returned runs; null if its address has too many. */
  synchronized @Nullable Runnable add(SocketAddress peer) {
    if (!(peer instanceof InetSocketAddress)) {
      return () -> {};
    }
    InetAddress address = ((InetSocketAddress) peer).getAddress();
    int now = counts.getOrDefault(address, 0);
    if (now >= mostPerAddress) {
      return null;
    }
    counts.put(address, now + 1);
    AtomicBoolean gone = new AtomicBoolean();
    return () -> {
      if (gone.compareAndSet(false, true)) {
        remove(address);
      }
    };
  }

  private synchronized void remove(InetAddress address) {
    counts.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
  }
}

package io.sluice.coordinator.grpc;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many connections there may be, all together and from one address. All together: who leads
 * needs files of its own, or a crowd that only connects would depose it. From one address: or a
 * single host could take all places. And of those that have made no call yet an address has fewer
 * than there are free places: or two hosts could, which takes nothing but sockets. Thread-safe.
 */
final class ConnectionLimit {
  /** Files that are not these connections: ZooKeeper's, HTTP's, libraries', logs. */
  private static final long OTHER_FILES = 1_000;

  /**
   * One host has as many addresses of IPv6 as it likes in a network of its own, of so many bytes.
   */
  private static final int NETWORK_BYTES = 8;

  private final long most;
  private final long mostOfOne;
  // Guarded by this.
  private final Map<ByteBuffer, Count> byAddress = new HashMap<>();
  private long all;

  /**
   * @param mostOfOne from one address, or one IPv6 network of 64 bits
   */
  ConnectionLimit(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /**
   * What the limit of open files leaves, but half of it at least.
   *
   * @param mostOfOne from one address; without it half of all
   */
  static ConnectionLimit ofFiles(Optional<Integer> mostOfOne) {
    long most =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
            ? Math.max(
                system.getMaxFileDescriptorCount() / 2,
                system.getMaxFileDescriptorCount() - OTHER_FILES)
            : Long.MAX_VALUE;
    return new ConnectionLimit(most, mostOfOne.map(Integer::longValue).orElse((most + 1) / 2));
  }

  /** Takes a place, to be closed once; null if there is none. */
  synchronized @Nullable Place add(InetAddress address) {
    ByteBuffer key = key(address);
    Count count = byAddress.computeIfAbsent(key, k -> new Count());
    if (all >= most || count.all >= mostOfOne || count.newcomers >= most - all) {
      byAddress.computeIfPresent(key, (k, known) -> known.all == 0 ? null : known);
      return null;
    }
    all++;
    count.all++;
    count.newcomers++;
    return new Place(key, count);
  }

  private static final class Count {
    private long all;
    // That have made no call.
    private long newcomers;
  }

  /** A connection's place. Thread-safe. */
  final class Place implements AutoCloseable {
    private final ByteBuffer key;
    private final Count count;
    private boolean newcomer = true;
    private boolean closed;

    private Place(ByteBuffer key, Count count) {
      this.key = key;
      this.count = count;
    }

    /** It has made a call that was let in; again is harmless. */
    void letIn() {
      synchronized (ConnectionLimit.this) {
        if (newcomer) {
          newcomer = false;
          count.newcomers--;
        }
      }
    }

    /** Gives the place back; again is harmless. */
    @Override
    public void close() {
      synchronized (ConnectionLimit.this) {
        if (closed) {
          return;
        }
        closed = true;
        letIn();
        all--;
        count.all--;
        if (count.all == 0) {
          byAddress.remove(key);
        }
      }
    }
  }

  private static ByteBuffer key(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet6Address ? bytes.slice(0, NETWORK_BYTES) : bytes;
  }
}

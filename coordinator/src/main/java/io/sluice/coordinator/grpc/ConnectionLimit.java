package io.sluice.coordinator.grpc;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many connections there may be, all together and from one address. All together: who leads
 * needs files of its own, or a crowd that only connects would depose it. From one address: or a
 * single host could take all places. Thread-safe.
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
  private final AtomicLong all = new AtomicLong();
  private final Map<ByteBuffer, Long> byAddress = new ConcurrentHashMap<>();

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

  /** Takes a place; false if there is none. Each that is taken is given back. */
  boolean add(InetAddress address) {
    if (all.incrementAndGet() > most) {
      all.decrementAndGet();
      return false;
    }
    ByteBuffer key = key(address);
    long now = byAddress.merge(key, 1L, Long::sum);
    if (now > mostOfOne) {
      remove(address);
      return false;
    }
    return true;
  }

  void remove(InetAddress address) {
    byAddress.computeIfPresent(key(address), (key, count) -> count == 1 ? null : count - 1);
    all.decrementAndGet();
  }

  private static ByteBuffer key(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet6Address ? bytes.slice(0, NETWORK_BYTES) : bytes;
  }
}

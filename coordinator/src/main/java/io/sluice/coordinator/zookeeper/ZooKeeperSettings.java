package io.sluice.coordinator.zookeeper;

import java.time.Duration;

/**
 * @param connect {@code host:port,host:port}
 * @param root absolute path under which everything of one cluster lies
 * @param sessionTimeout after which a silent leader is replaced
 * @param access how to prove who one is
 */
public record ZooKeeperSettings(
    String connect, String root, Duration sessionTimeout, ZooKeeperAccess access) {
  /** Without any proof. */
  public ZooKeeperSettings(String connect, String root, Duration sessionTimeout) {
    this(connect, root, sessionTimeout, ZooKeeperAccess.OPEN);
  }
}

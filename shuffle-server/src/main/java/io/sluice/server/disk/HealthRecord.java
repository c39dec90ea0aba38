package io.sluice.server.disk;

import io.sluice.common.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a disk's health by how its writes end; logs changes once. Read by anyone, changed by the
 * disk's writer only.
 */
public final class HealthRecord {
  private static final Logger log = LoggerFactory.getLogger(HealthRecord.class);

  private final String disk;
  private final Clock clock;
  private volatile DiskHealth health;

  public HealthRecord(String disk, Clock clock) {
    this.disk = disk;
    this.clock = clock;
    health = new DiskHealth(null, clock.wallTimeMillis());
  }

  public DiskHealth current() {
    return health;
  }

  public void writeSucceeded() {
    if (!health.healthy()) {
      health = new DiskHealth(null, clock.wallTimeMillis());
      log.info("{}: writes work again", disk);
    }
  }

  public void writeFailed(Throwable failure) {
    if (health.healthy()) {
      log.error("{}: unhealthy after a failed write", disk, failure);
    }
    health = new DiskHealth(String.valueOf(failure.getMessage()), clock.wallTimeMillis());
  }
}

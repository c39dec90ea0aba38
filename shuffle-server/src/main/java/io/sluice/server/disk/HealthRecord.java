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
  private volatile Runnable onChange = () -> {};
  private volatile DiskHealth health;

  public HealthRecord(String disk, Clock clock) {
    this.disk = disk;
    this.clock = clock;
    health = new DiskHealth(null, clock.wallTimeMillis());
  }

  /** Has somebody told whenever the disk falls ill or recovers; on the thread that noticed. */
  public void onChange(Runnable listener) {
    onChange = listener;
  }

  public DiskHealth current() {
    return health;
  }

  public void writeSucceeded() {
    if (!health.healthy()) {
      health = new DiskHealth(null, clock.wallTimeMillis());
      log.info("{}: writes work again", disk);
      onChange.run();
    }
  }

  public void writeFailed(Throwable failure) {
    boolean was = health.healthy();
    health = new DiskHealth(String.valueOf(failure.getMessage()), clock.wallTimeMillis());
    if (was) {
      log.error("{}: unhealthy after a failed write", disk, failure);
      onChange.run();
    }
  }
}

package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bytes that one application holds here, and its limits. */
public final class ByteQuota {
  private static final Logger log = LoggerFactory.getLogger(ByteQuota.class);

  private final ApplicationId application;
  private final QuotaLimits limits;
  private final AtomicLong used = new AtomicLong();
  private final AtomicBoolean told = new AtomicBoolean();

  ByteQuota(ApplicationId application, QuotaLimits limits) {
    this.application = application;
    this.limits = limits;
  }

  /** Whether the application may store nothing more. */
  public boolean exhausted() {
    return used.get() >= limits.applicationBytes();
  }

  /** Whether the size of partitions matters: else nobody need look it up. */
  public boolean limitsPartitions() {
    return limits.limitsPartitions();
  }

  /** Whether a partition of so many bytes may take nothing more. */
  public boolean partitionFull(long bytes) {
    return bytes >= limits.partitionBytes();
  }

  /** Says in the log, once for an application, that its blocks are refused. */
  public void tell(int shuffle, int partition) {
    if (told.compareAndSet(false, true)) {
      log.warn(
          "application {} is at its quota and is refused more: it holds {} bytes of {} here, or"
              + " shuffle {} partition {} has {} bytes",
          application,
          used.get(),
          limits.applicationBytes(),
          shuffle,
          partition,
          limits.partitionBytes());
    }
  }

  public void take(long bytes) {
    used.addAndGet(bytes);
  }

  public void giveBack(long bytes) {
    if (used.addAndGet(-bytes) < 0) {
      throw new IllegalStateException("more of a quota was given back than taken");
    }
  }

  /** Bytes held. */
  public long used() {
    return used.get();
  }
}

package io.sluice.server.disk;

import io.sluice.common.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a disk's health by how its accesses end; logs a fence and its end once each. Thread-safe.
 *
 * <pre>
 *            a write fails · {@value #READ_FAILURES} reads in a row fail · an access does not return
 *   HEALTHY ─────────────────────────────────────────────────────────▶ FENCED
 *      ▲          enough probes or writes in a row went well              │
 *      └──────────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Hysteresis: how many probes are enough doubles with every fence that follows the last recovery
 * within {@value #RELAPSE_SECONDS} s, up to {@value #PROBES_MAX}. A disk that fails now and then so
 * costs a second; one that goes on and off is soon left alone most of the time.
 */
public final class DiskFence {
  private static final Logger log = LoggerFactory.getLogger(DiskFence.class);

  /** Reads of different places that fail in a row: a bad sector alone does not fence a disk. */
  private static final int READ_FAILURES = 3;

  /** Probes in a row after which a disk that was well counts as well again. */
  public static final int PROBES_MIN = 2;

  // Sixteen seconds: less than clients wait for memory, for this may be the only disk.
  private static final int PROBES_MAX = 32;

  /** As long as a disk that works again may have to show it before its fence falls. */
  public static final long LONGEST_RECOVERY_NANOS = PROBES_MAX * DiskSentinel.PROBE_NANOS;

  private static final int RELAPSE_SECONDS = 60;

  private final String disk;
  private final Clock clock;
  private final int probesMin;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile DiskHealth health;
  private int readFailures;
  private @Nullable Object lastFailedPlace;
  private int probesNeeded;
  private int probesPassed;
  private long fences;
  private long healedNanos;
  private boolean everHealed;

  /**
   * @param probesMin how many probes or writes in a row are enough at first
   */
  public DiskFence(String disk, Clock clock, int probesMin) {
    this.disk = disk;
    this.clock = clock;
    this.probesMin = probesMin;
    this.probesNeeded = probesMin;
    health = new DiskHealth(null, clock.wallTimeMillis());
  }

  /**
   * Has somebody told whenever the fence rises or falls, and when a fenced disk is not to be read
   * any more either; on the thread that noticed, under no lock: who is told looks at {@link
   * #current} and may find that it has changed again.
   */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  public DiskHealth current() {
    return health;
  }

  /** How often the disk was fenced. */
  public synchronized long fences() {
    return fences;
  }

  public void writeFailed(Throwable failure) {
    tellIf(fence(String.valueOf(failure.getMessage()), true, failure));
  }

  private void tellIf(boolean changed) {
    if (changed) {
      listeners.forEach(Runnable::run);
    }
  }

  /**
   * @param place what was read; the same one failing again says nothing new about the disk
   */
  public void readFailed(Object place, Throwable failure) {
    if (failsTooOften(place)) {
      tellIf(fence(String.valueOf(failure.getMessage()), true, failure));
    }
  }

  private synchronized boolean failsTooOften(Object place) {
    if (place.equals(lastFailedPlace)) {
      return false;
    }
    lastFailedPlace = place;
    readFailures++;
    return readFailures >= READ_FAILURES;
  }

  public synchronized void readSucceeded() {
    readFailures = 0;
    lastFailedPlace = null;
  }

  /** An access is under way for so long that it will hardly return. */
  public void stalled(long nanos) {
    if (health.readable()) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
      tellIf(fence("an access has not returned for " + seconds + " s", false, null));
    }
  }

  /** All accesses have returned. */
  public synchronized void returned() {
    if (!health.readable()) {
      health = new DiskHealth(health.problem(), health.sinceMillis(), true);
    }
  }

  /** Returns whether it was not fenced before, or was still to be read. */
  private synchronized boolean fence(String problem, boolean readable, @Nullable Throwable cause) {
    probesPassed = 0;
    if (health.healthy()) {
      fences++;
      boolean relapse =
          everHealed && clock.nanoTime() - healedNanos < TimeUnit.SECONDS.toNanos(RELAPSE_SECONDS);
      probesNeeded = relapse ? Math.min(probesNeeded * 2, PROBES_MAX) : probesMin;
      log.error("{}: fenced, nothing is written to it: {}", disk, problem, cause);
      health = new DiskHealth(problem, clock.wallTimeMillis(), readable);
      return true;
    }
    boolean hangs = health.readable() && !readable;
    health = new DiskHealth(problem, health.sinceMillis(), readable && health.readable());
    return hangs;
  }

  /** As good as a probe. */
  public void writeSucceeded() {
    if (!health.healthy()) {
      probePassed();
    }
  }

  /** A probe went well; true if the disk is healthy thereby. */
  public boolean probePassed() {
    boolean healed;
    synchronized (this) {
      readFailures = 0;
      if (health.healthy()) {
        return true;
      }
      probesPassed++;
      healed = probesPassed >= probesNeeded;
      if (healed) {
        heal();
      }
    }
    tellIf(healed);
    return healed;
  }

  public synchronized void probeFailed(Throwable failure) {
    if (!health.healthy()) {
      probesPassed = 0;
      health =
          new DiskHealth(
              String.valueOf(failure.getMessage()), health.sinceMillis(), health.readable());
    }
  }

  private void heal() {
    long millis = clock.wallTimeMillis() - health.sinceMillis();
    health = new DiskHealth(null, clock.wallTimeMillis());
    healedNanos = clock.nanoTime();
    everHealed = true;
    log.info("{}: works again after {} ms", disk, millis);
  }
}

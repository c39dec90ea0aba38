package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that one application holds here, its limits, and its user's.
 *
 * <p>Blocks may come before it is known whose they are. Until then they count here alone; then what
 * is held moves to the user's account at once, and from there on every change is made in both. For
 * no byte to be counted twice or lost, each change has to know on which side of that moment it is.
 * So bytes and moment are one number: the bytes are its upper 63 bits, and the lowest is set when
 * the user is known. Whoever changes it reads the answer with the same atomic step: what came
 * before is in the sum that was moved, what comes after is not.
 */
public final class ByteQuota {
  private static final Logger log = LoggerFactory.getLogger(ByteQuota.class);
  private static final long OWNED = 1;

  private final ApplicationId application;
  private final QuotaLimits limits;
  private final AtomicLong state = new AtomicLong();
  private final AtomicBoolean told = new AtomicBoolean();
  // Shuffles with a partition at its own limit.
  private final AtomicInteger fullShuffles = new AtomicInteger();
  // Guarded by the monitor of the quotas.
  private int shuffles;
  // Written once, before the state says that it is there.
  private volatile @Nullable UserQuota user;

  ByteQuota(ApplicationId application, QuotaLimits limits) {
    this.application = application;
    this.limits = limits;
  }

  /** Under the monitor of the quotas. */
  void shuffleCame() {
    shuffles++;
  }

  /** Under the monitor of the quotas; returns whether it was the last. */
  boolean shuffleWent() {
    shuffles--;
    return shuffles == 0;
  }

  /** Says whose the application is; once. One call at a time. */
  void belongsTo(UserQuota owner) {
    if (user != null) {
      throw new IllegalStateException("application " + application + " has a user already");
    }
    user = owner;
    owner.take(state.getAndAdd(OWNED) >> 1);
  }

  /** Whose it is, or null while that is not known or does not matter. */
  @Nullable UserQuota user() {
    return user;
  }

  /** Whether the application, or its user, may store nothing more. */
  public boolean exhausted() {
    UserQuota owner = user;
    return atItsLimit() || (owner != null && owner.exhausted());
  }

  /** Whether the application may store nothing more, whatever its user may. */
  boolean atItsLimit() {
    return used() >= limits.applicationBytes();
  }

  /** Whether the size of partitions matters: else nobody need look it up. */
  public boolean limitsPartitions() {
    return limits.limitsPartitions();
  }

  /** Whether a partition of so many bytes may take nothing more. */
  public boolean partitionFull(long bytes) {
    return bytes >= limits.partitionBytes();
  }

  /**
   * Why blocks of a shuffle are refused that is {@link #exhausted}. Says it in the log, once for an
   * application, and for a user once until there is room again.
   */
  public QuotaRefusal refusal(int shuffle) {
    UserQuota owner = user;
    if (!atItsLimit() && owner != null) {
      return owner.refusal(application, shuffle);
    }
    QuotaRefusal refusal =
        new QuotaRefusal(
            QuotaRefusal.APPLICATION,
            "application " + application,
            used(),
            limits.applicationBytes());
    if (told.compareAndSet(false, true)) {
      log.warn("{}; refused first was shuffle {}", refusal, shuffle);
    }
    return refusal;
  }

  /** Why blocks of a partition are refused that holds so many bytes. */
  public QuotaRefusal partitionRefusal(int shuffle, int partition, long bytes) {
    return new QuotaRefusal(
        QuotaRefusal.PARTITION,
        "partition " + partition + " of shuffle " + shuffle + " of application " + application,
        bytes,
        limits.partitionBytes());
  }

  /**
   * A shuffle is refused blocks of a partition that is full: the first of its partitions. Until
   * {@link #fullShuffleWent}.
   */
  public void shuffleBecameFull(QuotaRefusal first) {
    fullShuffles.incrementAndGet();
    log.warn("{}; other partitions of the shuffle that reach it are not named", first);
  }

  public void fullShuffleWent() {
    fullShuffles.decrementAndGet();
  }

  /** Whether blocks are refused for what the application itself holds, in all or in a partition. */
  boolean refusesSome() {
    return atItsLimit() || fullShuffles.get() > 0;
  }

  public void take(long bytes) {
    UserQuota owner = ownerAfter(state.addAndGet(bytes << 1));
    if (owner != null) {
      owner.take(bytes);
    }
  }

  public void giveBack(long bytes) {
    long after = state.addAndGet(-(bytes << 1));
    if (after < 0) {
      throw new IllegalStateException("more of a quota was given back than taken");
    }
    UserQuota owner = ownerAfter(after);
    if (owner != null) {
      owner.giveBack(bytes);
    }
  }

  private @Nullable UserQuota ownerAfter(long after) {
    return (after & OWNED) == 0 ? null : user;
  }

  /** Bytes held. */
  public long used() {
    return state.get() >> 1;
  }
}

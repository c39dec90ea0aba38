package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The quotas of all applications that hold something here. */
public final class Quotas {
  private final QuotaLimits limits;
  private final Map<ApplicationId, ByteQuota> quotas = new ConcurrentHashMap<>();

  public Quotas(QuotaLimits limits) {
    this.limits = limits;
  }

  /** The quota of an application, kept until {@link #forget}. */
  public ByteQuota of(ApplicationId application) {
    return quotas.computeIfAbsent(application, id -> new ByteQuota(id, limits));
  }

  /** The application is gone for good; shuffles of it that are still closing keep their quota. */
  public void forget(ApplicationId application) {
    quotas.remove(application);
  }

  /** How many applications may store nothing more. */
  public long exhausted() {
    return quotas.values().stream().filter(ByteQuota::exhausted).count();
  }

  /** Bytes of all applications. */
  public long used() {
    return quotas.values().stream().mapToLong(ByteQuota::used).sum();
  }
}

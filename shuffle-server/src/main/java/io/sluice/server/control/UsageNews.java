package io.sluice.server.control;

import io.sluice.common.id.ApplicationId;
import io.sluice.proto.control.v1.ApplicationUsage;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.Quotas;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What of the applications' use of this server the leader has not been told on this stream. Those
 * told longest ago come first, so that none waits for ever where many change all the time. One
 * thread's.
 */
public final class UsageNews {
  /** In one report: 256 x 40 bytes are 10 KB, once a second. */
  static final int LIMIT = 256;

  /** Less is not worth a message. */
  private static final long BYTES_MIN = 1 << 20;

  private static final int SHARE = 64;

  // The one told longest ago first.
  private final Map<ApplicationId, Use> told = new LinkedHashMap<>();

  /** What one application has here. */
  public record Use(long bytes, long partitions) {
    private static final Use NOTHING = new Use(0, 0);

    private boolean differs(Use other) {
      long most = Math.max(BYTES_MIN, Math.max(bytes, other.bytes) / SHARE);
      boolean firstOrLast = (bytes == 0) != (other.bytes == 0);
      return partitions != other.partitions || firstOrLast || Math.abs(bytes - other.bytes) > most;
    }
  }

  /** What applications have here now. */
  public static Map<ApplicationId, Use> uses(Collection<Shuffle> shuffles, Quotas quotas) {
    Map<ApplicationId, Use> now = new LinkedHashMap<>();
    for (Shuffle shuffle : shuffles) {
      now.merge(
          shuffle.key().application(),
          new Use(0, shuffle.partitions()),
          (one, other) -> new Use(0, one.partitions() + other.partitions()));
    }
    now.replaceAll(
        (application, use) -> {
          ByteQuota quota = quotas.find(application);
          return new Use(quota == null ? 0 : quota.used(), use.partitions());
        });
    return now;
  }

  /** A new stream begins: the leader knows nothing. */
  public void begin() {
    told.clear();
  }

  /** What to tell now; counts as told. */
  public List<ApplicationUsage> next(Map<ApplicationId, Use> now) {
    List<ApplicationUsage> news = new ArrayList<>();
    Map<ApplicationId, Use> telling = new LinkedHashMap<>();
    for (Map.Entry<ApplicationId, Use> entry : now.entrySet()) {
      if (telling.size() < LIMIT && !told.containsKey(entry.getKey())) {
        telling.put(entry.getKey(), entry.getValue());
      }
    }
    Iterator<Map.Entry<ApplicationId, Use>> oldest = told.entrySet().iterator();
    while (oldest.hasNext() && telling.size() < LIMIT) {
      Map.Entry<ApplicationId, Use> entry = oldest.next();
      Use use = now.getOrDefault(entry.getKey(), Use.NOTHING);
      if (use.differs(entry.getValue())) {
        oldest.remove();
        telling.put(entry.getKey(), use);
      }
    }
    telling.forEach(
        (application, use) -> {
          if (!use.equals(Use.NOTHING)) {
            told.put(application, use);
          }
          news.add(message(application, use));
        });
    return news;
  }

  private static ApplicationUsage message(ApplicationId application, Use use) {
    return ApplicationUsage.newBuilder()
        .setApplication(Uuid.newBuilder().setHigh(application.high()).setLow(application.low()))
        .setBytes(use.bytes())
        .setPartitions(use.partitions())
        .build();
  }
}

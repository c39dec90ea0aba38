package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.membership.ServerReport.Use;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What applications hold on servers, as these last said; servers say only what changes.
 *
 * <p>A line for each application on each server that holds something of it, of some 100 bytes. So
 * there are at most {@value #LINES_MAX}, which are 100 MB: a thousand applications on a thousand
 * servers each. What is beyond is not counted, and said once; quotas of the servers themselves know
 * it. Of applications that are not known nothing is noted: they have ended, and are dropped.
 */
public final class UseBook {
  private static final Logger log = LoggerFactory.getLogger(UseBook.class);
  static final int LINES_MAX = 1_000_000;

  private final Predicate<ApplicationId> known;
  private final ObjLongConsumer<ApplicationId> onBytes;
  private final int linesMax;
  private final Map<ServerId, Map<ApplicationId, Use>> pages = new HashMap<>();
  private int lines;
  private boolean full;

  /**
   * @param known whether an application is one of ours
   * @param onBytes told by how many bytes an application holds more, or fewer, on all servers
   */
  UseBook(Predicate<ApplicationId> known, ObjLongConsumer<ApplicationId> onBytes) {
    this(known, onBytes, LINES_MAX);
  }

  UseBook(Predicate<ApplicationId> known, ObjLongConsumer<ApplicationId> onBytes, int linesMax) {
    this.known = known;
    this.onBytes = onBytes;
    this.linesMax = linesMax;
  }

  /** A server begins to say what it holds; what it said before is void. */
  void begin(ServerId server) {
    Map<ApplicationId, Use> before = pages.remove(server);
    if (before != null) {
      lines -= before.size();
      before.forEach((application, use) -> onBytes.accept(application, -use.bytes()));
    }
  }

  /** A server's word. Negative figures count as none. */
  void take(ServerId server, List<Use> uses) {
    uses.forEach(use -> take(server, use));
  }

  private void take(ServerId server, Use said) {
    ApplicationId application = said.application();
    Use use = new Use(application, Math.max(0, said.bytes()), Math.max(0, said.partitions()));
    Map<ApplicationId, Use> page = pages.get(server);
    Use before = page == null ? null : page.get(application);
    if (use.bytes() == 0 && use.partitions() == 0) {
      if (page != null && before != null) {
        page.remove(application);
        lines--;
        if (page.isEmpty()) {
          pages.remove(server);
        }
        onBytes.accept(application, -before.bytes());
      }
      return;
    }
    if (before == null && !hasRoom(application)) {
      return;
    }
    pages.computeIfAbsent(server, s -> new HashMap<>()).put(application, use);
    lines += before == null ? 1 : 0;
    onBytes.accept(application, use.bytes() - (before == null ? 0 : before.bytes()));
  }

  private boolean hasRoom(ApplicationId application) {
    if (!known.test(application)) {
      return false;
    }
    if (lines >= linesMax && !full) {
      full = true;
      log.warn(
          "applications hold data in more than {} places: what they hold in others is not counted",
          linesMax);
    }
    return lines < linesMax;
  }

  /** By server, for those that hold something of an application. Linear in servers. */
  public Map<ServerId, Use> of(ApplicationId application) {
    Map<ServerId, Use> uses = new HashMap<>();
    pages.forEach(
        (server, page) -> {
          Use use = page.get(application);
          if (use != null) {
            uses.put(server, use);
          }
        });
    return uses;
  }

  /** What it takes: applications on servers. */
  int lines() {
    return lines;
  }
}

package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerView;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The drivers that are told what becomes of servers. */
final class Watches {
  private final Set<Watch> watches = new LinkedHashSet<>();

  Watch begin(ApplicationId application, Watcher watcher, Supplier<List<ServerView>> everything) {
    Watch watch = new Watch(application, watcher, everything);
    watches.add(watch);
    watch.ready();
    return watch;
  }

  void end(Watch watch) {
    watches.remove(watch);
  }

  /** Ends those of an application. */
  void end(ApplicationId application, String why) {
    watches.removeIf(
        watch -> {
          boolean ends = watch.application().equals(application);
          if (ends) {
            watch.end(new SluiceException(ErrorCode.UNKNOWN_APPLICATION, why));
          }
          return ends;
        });
  }

  void changed(ServerView server) {
    watches.forEach(watch -> watch.changed(server));
  }

  /** Something is gone that changes cannot express. */
  void invalidate() {
    watches.forEach(Watch::invalidate);
  }

  void close(SluiceException reason) {
    List<Watch> ending = List.copyOf(watches);
    watches.clear();
    ending.forEach(watch -> watch.end(reason));
  }
}

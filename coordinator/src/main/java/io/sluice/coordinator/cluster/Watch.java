package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * One driver's view of the servers: a snapshot, then changes. A watcher slower than the changes is
 * owed what has changed instead of a queue, so it costs two bits a server however slow it is.
 */
public final class Watch {
  private final ApplicationId application;
  private final Watcher watcher;
  private final KnownServers servers;
  // What it is told of; null: all.
  private final @Nullable BitSet scope;
  private final BitSet owed = new BitSet();
  private boolean snapshotDue = true;
  private boolean over;

  Watch(ApplicationId application, Watcher watcher, KnownServers servers, @Nullable BitSet scope) {
    this.application = application;
    this.watcher = watcher;
    this.servers = servers;
    this.scope = scope;
  }

  ApplicationId application() {
    return application;
  }

  /** What it is told of, to be added to; null if that is all. */
  @Nullable BitSet scope() {
    return scope;
  }

  /** To be called when the watcher takes events again, or is owed some. */
  public void ready() {
    if (over || !watcher.isReady()) {
      return;
    }
    if (snapshotDue) {
      snapshotDue = false;
      owed.clear();
      watcher.send(true, servers.views(scope == null ? servers.all() : scope));
    } else if (!owed.isEmpty()) {
      var changes = servers.views(owed);
      owed.clear();
      watcher.send(false, changes);
    }
  }

  /**
   * Servers have changed.
   *
   * @return whether it has to be told of any
   */
  boolean owe(BitSet changed) {
    if (scope == null) {
      owed.or(changed);
    } else if (scope.intersects(changed)) {
      BitSet mine = (BitSet) changed.clone();
      mine.and(scope);
      owed.or(mine);
    }
    return snapshotDue || !owed.isEmpty();
  }

  /**
   * A lost server is known no more, and its number will be another's. Whoever has been told that it
   * is lost need not hear of it again.
   *
   * @return whether it has to be told
   */
  boolean forget(int number) {
    snapshotDue |= scope == null || owed.get(number);
    owed.clear(number);
    if (scope != null) {
      scope.clear(number);
    }
    return snapshotDue;
  }

  /** Nothing is sent any more. */
  void leave() {
    over = true;
  }

  void end(SluiceException reason) {
    over = true;
    watcher.end(reason);
  }
}

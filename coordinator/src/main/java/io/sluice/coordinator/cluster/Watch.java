package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerView;
import java.util.BitSet;
import java.util.List;
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
  private final @Nullable Scope scope;
  private final BitSet owed = new BitSet();
  private boolean snapshotDue = true;
  private boolean over;

  Watch(ApplicationId application, Watcher watcher, KnownServers servers, @Nullable Scope scope) {
    this.application = application;
    this.watcher = watcher;
    this.servers = servers;
    this.scope = scope;
  }

  ApplicationId application() {
    return application;
  }

  /** What it is told of, to be added to; null if that is all. */
  @Nullable Scope scope() {
    return scope;
  }

  boolean isOver() {
    return over;
  }

  /** To be called when the watcher takes events again. */
  public void ready() {
    serve();
  }

  /**
   * Tells the watcher what it is owed, if it takes that.
   *
   * @return of how many servers
   */
  int serve() {
    boolean snapshot = snapshotDue;
    if (over || !watcher.isReady() || (!snapshot && owed.isEmpty())) {
      return 0;
    }
    BitSet everything = scope == null ? servers.all() : scope.all();
    List<ServerView> told = servers.views(snapshot ? everything : owed);
    snapshotDue = false;
    owed.clear();
    watcher.send(snapshot, told);
    return told.size();
  }

  /**
   * Servers have changed.
   *
   * @return whether it has to be told of any
   */
  boolean owe(BitSet changed) {
    if (scope == null) {
      owed.or(changed);
    } else if (scope.all().intersects(changed)) {
      BitSet mine = (BitSet) changed.clone();
      mine.and(scope.all());
      owed.or(mine);
    }
    return snapshotDue || !owed.isEmpty();
  }

  /**
   * A lost server is known no more, and its number will be another's. Whoever has been told that it
   * is lost need not hear of it again; who has not gets a snapshot, in which it is absent.
   *
   * @param untold whether nobody has been told yet what became of it
   * @return whether it has to be told
   */
  boolean forget(int number, boolean untold) {
    boolean told = scope == null || scope.forget(number);
    snapshotDue |= told && (untold || owed.get(number));
    owed.clear(number);
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

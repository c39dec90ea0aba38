package io.sluice.client.control;

import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The servers that a watch has to be about, if its leader tells of some only: those in use when the
 * stream began, which the request names, and those of placements that are made later. The latter
 * the leader adds itself if it is the one that made them. If another did, or the driver itself,
 * just before or after the stream began, the stream has to begin anew. Thread-safe.
 */
public final class OwnServers {
  /** Named in a request; a driver that uses more is told of all servers. */
  static final int LIMIT = 20_000;

  // What shuffles that are alive were given, and by whom. Kept until a shuffle is removed: engines
  // note a placement after it was made.
  private final Map<ShuffleKey, List<Given>> given = new HashMap<>();
  // Of this stream, until it is known to be about them.
  private final List<Given> open = new ArrayList<>();
  private final Map<ServerId, PlacedServer> named = new HashMap<>();
  private final Map<ServerId, PlacedServer> told = new HashMap<>();
  // 0 until the first message.
  private long term;
  private boolean all = true;

  /** Servers that a shuffle was given at once. */
  private static final class Given {
    private final Collection<PlacedServer> servers;
    // Of the leader that did; 0: it did not say, or the driver itself did.
    private final long term;

    Given(Collection<PlacedServer> servers, long term) {
      this.servers = servers;
      this.term = term;
    }
  }

  /** A stream begins that is about all servers. */
  synchronized void beginAll() {
    forget();
    all = true;
  }

  /**
   * A stream begins: adds to its request what it is to be about.
   *
   * @param inUse in placements that the engine has noted
   */
  public synchronized void begin(
      Collection<PlacedServer> inUse, WatchServersRequest.Builder request) {
    forget();
    inUse.forEach(server -> named.put(server.id(), server));
    for (List<Given> ofShuffle : given.values()) {
      for (Given each : ofShuffle) {
        each.servers.forEach(server -> named.putIfAbsent(server.id(), server));
      }
    }
    all = named.size() > LIMIT;
    if (!all) {
      request.setOwn(true);
      named.keySet().forEach(id -> request.addServers(ControlMessages.uuid(id)));
    }
  }

  private void forget() {
    named.clear();
    told.clear();
    open.clear();
    term = 0;
  }

  /**
   * The leader has told of some servers.
   *
   * @return whether the stream has to begin anew, to be about servers that were placed meanwhile
   */
  public synchronized boolean heard(long ofTerm, List<ServerStatus> servers) {
    term = ofTerm;
    servers.forEach(status -> told.put(status.server().id(), status.server()));
    return lacksGiven();
  }

  /** Whether the stream, whose leader has spoken, may not be about servers that were given. */
  synchronized boolean lacksGiven() {
    if (all || term == 0) {
      return false; // The first message will show.
    }
    for (Iterator<Given> each = open.iterator(); each.hasNext(); ) {
      Given one = each.next();
      if ((one.term != 0 && one.term == term) || one.servers.stream().allMatch(this::covers)) {
        each.remove();
      }
    }
    return !open.isEmpty();
  }

  /** Whether a server came into use, before the leader's first word, that it has not told of. */
  synchronized boolean lacks(Collection<PlacedServer> inUse) {
    return !inUse.stream().allMatch(this::covers);
  }

  private boolean covers(PlacedServer server) {
    return named.containsKey(server.id()) || told.containsKey(server.id());
  }

  /** The leader tells of all servers. */
  synchronized void heardOfAll() {
    all = true;
    open.clear();
  }

  /** With those that were named or told of, and are not there any more: they are lost. */
  public synchronized List<ServerStatus> whole(List<ServerStatus> snapshot) {
    Map<ServerId, PlacedServer> absent = new HashMap<>(told);
    absent.putAll(named);
    snapshot.forEach(status -> absent.remove(status.server().id()));
    List<ServerStatus> whole = new ArrayList<>(snapshot);
    for (PlacedServer server : absent.values()) {
      long life = server.incarnation();
      whole.add(new ServerStatus(server, ServerStatus.State.LOST, life, life, 0));
    }
    return whole;
  }

  /**
   * A shuffle was given servers.
   *
   * @param byTerm of the leader that did, 0 if it does not say or the driver itself did
   * @return whether the stream has to begin anew, to be about these servers
   */
  public synchronized boolean placed(
      ShuffleKey shuffle, Collection<PlacedServer> servers, long byTerm) {
    Given one = new Given(servers, byTerm);
    given.computeIfAbsent(shuffle, any -> new ArrayList<>()).add(one);
    if (!all) {
      open.add(one);
    }
    return lacksGiven();
  }

  /** A shuffle is gone: nobody needs to know what becomes of its servers. */
  public synchronized void removed(ShuffleKey shuffle) {
    List<Given> gone = given.remove(shuffle);
    if (gone != null) {
      open.removeAll(gone);
    }
  }
}

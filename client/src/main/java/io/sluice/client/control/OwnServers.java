package io.sluice.client.control;

import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers that a watch has to be about, if its leader tells of some only: those in use when the
 * stream began, which the request names, and those of shuffles that are placed later. The latter
 * the leader adds itself if it is the one that placed them. If another did, just before or after
 * the stream began, the stream has to begin anew. Thread-safe.
 */
final class OwnServers {
  /** Named in a request; a driver that uses more is told of all servers. */
  static final int LIMIT = 20_000;

  // Placed, and not seen in use yet: engines note a placement after it was made.
  private final Map<ServerId, PlacedServer> fresh = new HashMap<>();
  // Of this stream.
  private final Map<ServerId, PlacedServer> named = new HashMap<>();
  private final Map<ServerId, PlacedServer> told = new HashMap<>();
  // 0 until the first message.
  private long term;
  // Whose placement names a server that this stream may not be about; 0: none does.
  private long uncoveredBy;
  private boolean all = true;

  /** A stream begins that is about all servers. */
  synchronized void beginAll() {
    forget();
    all = true;
  }

  /** A stream begins: adds to its request what it is to be about. */
  synchronized void begin(Collection<PlacedServer> inUse, WatchServersRequest.Builder request) {
    forget();
    inUse.forEach(
        server -> {
          named.put(server.id(), server);
          fresh.remove(server.id());
        });
    named.putAll(fresh);
    all = named.size() > LIMIT;
    if (!all) {
      request.setOwn(true);
      named.keySet().forEach(id -> request.addServers(ControlMessages.uuid(id)));
    }
  }

  private void forget() {
    named.clear();
    told.clear();
    term = 0;
    uncoveredBy = 0;
  }

  /**
   * The leader has told of some servers.
   *
   * @return whether the stream has to begin anew, to be about servers that were placed meanwhile
   */
  synchronized boolean heard(long ofTerm, List<ServerStatus> servers) {
    term = ofTerm;
    servers.forEach(status -> told.put(status.server().id(), status.server()));
    return uncoveredBy != 0 && uncoveredBy != term;
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
  }

  /** With those that were named or told of, and are not there any more: they are lost. */
  synchronized List<ServerStatus> whole(List<ServerStatus> snapshot) {
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
   * A shuffle was placed.
   *
   * @param byTerm of the leader that did, 0 if it does not say
   * @return whether the stream has to begin anew, to be about these servers
   */
  synchronized boolean placed(Collection<PlacedServer> servers, long byTerm) {
    servers.forEach(server -> fresh.put(server.id(), server));
    if (all || term == byTerm || servers.stream().allMatch(this::covers)) {
      return false;
    }
    uncoveredBy = byTerm;
    return term != 0;
  }
}

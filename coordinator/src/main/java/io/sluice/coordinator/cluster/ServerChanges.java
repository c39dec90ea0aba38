package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.coordinator.membership.MembershipListener;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes what becomes of servers, has persisted what must outlive this leader, and tells on. */
final class ServerChanges implements MembershipListener {
  private static final Logger log = LoggerFactory.getLogger(ServerChanges.class);

  private final StateStore store;
  private final WantedState wanted;
  private final EventLog events;
  private final Listener listener;
  private final Map<ServerId, ServerRecord> persisted = new HashMap<>();
  private final Map<ServerId, String> noted = new HashMap<>();

  /** Told after a change has been noted. */
  interface Listener {
    void changed(ServerView server);

    /** What was in this server's memory is gone. */
    void lost(ServerId server);

    /** A server that was lost is known no more. */
    void forgotten(ServerId server);
  }

  ServerChanges(
      List<ServerRecord> known,
      StateStore store,
      WantedState wanted,
      EventLog events,
      Listener listener) {
    this.store = store;
    this.wanted = wanted;
    this.events = events;
    this.listener = listener;
    known.forEach(record -> persisted.put(record.address().id(), record));
  }

  @Override
  public void changed(ServerView server) {
    switch (server.state()) {
      case SUSPECT, UNHEALTHY, LOST ->
          log.warn("server {} is {}", server.address(), server.state());
      case ACTIVE, DRAINING, RESTARTING ->
          log.info("server {} is {}", server.address(), server.state());
    }
    note(server);
    persist(server);
    if (server.state() == ServerState.LOST) {
      listener.lost(server.address().id());
    }
    listener.changed(server);
  }

  private void note(ServerView server) {
    ServerId id = server.address().id();
    String text =
        server.address().host()
            + ":"
            + server.address().port()
            + " is "
            + server.state().name().toLowerCase(Locale.ROOT)
            + (server.drained() ? " and empty" : "")
            + (server.excluded() ? ", excluded" : "")
            + ", incarnation "
            + server.address().incarnation();
    if (!text.equals(noted.put(id, text))) {
      events.add(ClusterEvent.Kind.SERVER, id.toString(), text);
    }
  }

  private void persist(ServerView server) {
    ServerRecord record =
        new ServerRecord(
            server.address(), server.lostIncarnation(), server.state() == ServerState.RESTARTING);
    if (!record.equals(persisted.put(server.address().id(), record))) {
      wanted.want(
          server.address().id(),
          "the state of server " + server.address(),
          () -> store.putServer(record));
    }
  }

  @Override
  public void forgotten(ServerView server) {
    ServerId id = server.address().id();
    persisted.remove(id);
    noted.remove(id);
    wanted.want(id, "the removal of server " + server.address(), () -> store.removeServer(id));
    listener.forgotten(id);
  }
}

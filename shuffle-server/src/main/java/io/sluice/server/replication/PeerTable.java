package io.sluice.server.replication;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ReplicaMember;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The links to other servers, by where applications say that these are. A link is its application's
 * that named it first, and everybody's to use; so one that invents servers runs out of its own
 * places and not of others'. Thread-safe: a link that is there is found without a lock.
 */
final class PeerTable {
  /** Other servers that something goes to at a time. */
  static final int MAX_PEERS = 4096;

  /**
   * Of these, first named by one application. A placement has about as many sets as servers, times
   * replicas, so that a server is the first member of few of an application's sets.
   */
  static final int MAX_OF_ONE = 256;

  private final ConcurrentHashMap<Endpoint, PeerLink> links = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Map<ApplicationId, Set<Endpoint>> named = new HashMap<>();

  /** A server as clients name it. With its address, or who names a wrong one would harm others. */
  private record Endpoint(ServerId id, String host, int port) {
    static Endpoint of(ReplicaMember member) {
      return new Endpoint(member.id(), member.host(), member.port());
    }
  }

  /**
   * The link to a member, made if there is none; null if there is no place for one more.
   *
   * @param application that names the member
   */
  @Nullable PeerLink link(
      ReplicaMember member, ApplicationId application, Function<ReplicaMember, PeerLink> maker) {
    Endpoint endpoint = Endpoint.of(member);
    PeerLink known = links.get(endpoint);
    return known != null ? known : make(endpoint, application, () -> maker.apply(member));
  }

  private synchronized @Nullable PeerLink make(
      Endpoint endpoint, ApplicationId application, Supplier<PeerLink> maker) {
    PeerLink known = links.get(endpoint);
    if (known != null) {
      return known;
    }
    if (places(application) >= MAX_OF_ONE) {
      dropIdle(application);
    }
    if (links.size() >= MAX_PEERS) {
      Set.copyOf(named.keySet()).forEach(this::dropIdle);
    }
    if (places(application) >= MAX_OF_ONE || links.size() >= MAX_PEERS) {
      return null;
    }
    PeerLink made = maker.get();
    links.put(endpoint, made);
    named.computeIfAbsent(application, id -> new HashSet<>()).add(endpoint);
    return made;
  }

  private int places(ApplicationId application) {
    return named.getOrDefault(application, Set.of()).size();
  }

  /**
   * Of servers that are not there any more, or not needed. Should something go to one at this
   * moment, it gets there all the same.
   */
  private void dropIdle(ApplicationId application) {
    Set<Endpoint> endpoints = Objects.requireNonNull(named.get(application));
    endpoints.removeIf(
        endpoint -> {
          boolean idle = Objects.requireNonNull(links.get(endpoint)).isIdle();
          if (idle) {
            links.remove(endpoint);
          }
          return idle;
        });
    if (endpoints.isEmpty()) {
      named.remove(application);
    }
  }

  /** Every link; a glance. */
  Collection<PeerLink> all() {
    return links.values();
  }
}

package io.sluice.coordinator.cluster;

import io.sluice.common.config.Spelling;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.FreeCapacity;
import io.sluice.coordinator.placement.Leaning;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which of the servers can take partitions at one moment, and what to say if those are too few.
 *
 * @param wishes what a server must have
 */
record Supply(List<ServerView> servers, PlacementWishes wishes) {
  /** Tags named in a refusal; the rest is counted. */
  private static final int TAGS_NAMED = 20;

  /**
   * Servers for a shuffle, at least as many as a replica set needs.
   *
   * @throws SluiceException NO_SERVERS; INVALID_CONFIGURATION if no server has the tags, or gRPC;
   *     COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  List<Candidate> candidates(ShuffleSpec spec, Set<ServerId> excluded) {
    requireReports();
    requireSuitable();
    List<Leaning.Offer> candidates = new ArrayList<>();
    for (ServerView server : servers) {
      long weight = FreeCapacity.of(server.load());
      if (server.state() == ServerState.ACTIVE
          && weight > 0
          && !server.excluded()
          && server.suits(wishes)
          && !excluded.contains(server.address().id())) {
        candidates.add(
            new Leaning.Offer(
                new Candidate(server.address(), server.traits().place(), weight),
                FreeCapacity.whenEmpty(server.load())));
      }
    }
    if (candidates.size() < spec.replicas()) {
      throw new SluiceException(
          ErrorCode.NO_SERVERS,
          spec.replicas()
              + " needed for shuffle "
              + spec.shuffle()
              + ", "
              + candidates.size()
              + " can take data: "
              + describe(excluded));
    }
    return Leaning.lean(candidates);
  }

  /**
   * A new leader knows its servers by name before they have reported their load. Until most have,
   * which takes seconds, it would crowd a shuffle onto the first ones, or find none at all; those
   * that stay silent are suspect soon and not waited for any longer.
   */
  private void requireReports() {
    int active = 0;
    int reported = 0;
    for (ServerView server : servers) {
      if (server.state() == ServerState.ACTIVE) {
        active++;
        reported += server.hasReported() ? 1 : 0;
      }
    }
    if (reported * 2 < active) {
      throw unheard(reported, active);
    }
  }

  private static SluiceException unheard(long reported, long of) {
    return new SluiceException(
        ErrorCode.COORDINATOR_UNAVAILABLE,
        "a new leader has heard from " + reported + " of " + of + " servers so far");
  }

  /**
   * That no server has a tag, or gRPC, is most likely a slip of the pen, which waiting does not
   * mend. Servers that this leader has not met may have it, and those that are full or away have it
   * still.
   */
  private void requireSuitable() {
    if (wishes.tags().isEmpty() && !wishes.grpc()) {
      return;
    }
    List<ServerView> known =
        servers.stream().filter(server -> server.state() != ServerState.LOST).toList();
    if (known.isEmpty() || known.stream().anyMatch(server -> server.suits(wishes))) {
      return;
    }
    long met = known.stream().filter(ServerView::hasReported).count();
    if (met < known.size()) {
      throw unheard(met, known.size());
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        known.stream().anyMatch(this::hasTags) ? noGrpc(known.size()) : noTags(known));
  }

  private boolean hasTags(ServerView server) {
    return server.traits().tags().containsAll(wishes.tags());
  }

  private String noGrpc(int known) {
    return "the application's transport is grpc, and none of the "
        + known
        + " servers "
        + (wishes.tags().isEmpty() ? "" : "with tags " + wishes.tags() + " ")
        + "offers it: set server.grpc.port there, or use the transport netty";
  }

  private String noTags(List<ServerView> known) {
    Set<String> offered = new TreeSet<>();
    known.forEach(server -> offered.addAll(server.traits().tags()));
    return "the application asks for servers with tags "
        + wishes.tags()
        + ", and none of the "
        + known.size()
        + " servers has them all; tags here are "
        + named(offered)
        + meant(offered);
  }

  private static String named(Set<String> offered) {
    List<String> first = offered.stream().limit(TAGS_NAMED).toList();
    return first + (offered.size() > TAGS_NAMED ? " and more" : "");
  }

  private String meant(Set<String> offered) {
    StringBuilder text = new StringBuilder();
    for (String tag : wishes.tags()) {
      if (!offered.contains(tag)) {
        Spelling.nearest(tag, offered)
            .ifPresent(near -> text.append("; did you mean '").append(near).append("'?"));
      }
    }
    return text.toString();
  }

  private String describe(Set<ServerId> excluded) {
    Map<ServerState, Integer> states = new EnumMap<>(ServerState.class);
    int full = 0;
    int untagged = 0;
    int withoutGrpc = 0;
    for (ServerView server : servers) {
      states.merge(server.state(), 1, Integer::sum);
      if (server.state() == ServerState.ACTIVE && FreeCapacity.of(server.load()) <= 0) {
        full++;
      }
      untagged += hasTags(server) ? 0 : 1;
      withoutGrpc += server.address().grpcPort() == 0 ? 1 : 0;
    }
    return "known are "
        + states
        + ", active ones without room "
        + full
        + (wishes.tags().isEmpty() ? "" : ", without the tags " + wishes.tags() + " " + untagged)
        + (wishes.grpc() ? ", without gRPC " + withoutGrpc : "")
        + ", excluded by operators "
        + servers.stream().filter(ServerView::excluded).count()
        + ", excluded by the caller "
        + excluded.size();
  }
}

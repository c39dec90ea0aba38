package io.sluice.client.fetch;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.ServerConnection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Which server is asked for which partitions. Of every set that may hold blocks of winners in a
 * partition of which something is expected, one member is asked first, and the next one when that
 * did not bring everything; a server that is in several sets of a partition is asked for it once. A
 * server gets a request for each {@link Run}: one in all, unless it holds copies of what others are
 * asked for.
 *
 * <p>Members that are in the newest set of the partition come first: who was replaced is probably
 * not there any more. So do those that can be reached as far as this process knows, and were no
 * trouble to the reader before.
 */
final class FetchPlan {
  private final ReadScope scope;
  private final Completeness wanted;
  private final ConnectionPool connections;
  private final List<PlacedServer> servers;
  private final BitSet doubted;
  private final int firstEpoch;

  // By partition of the range: the epochs after the first that name it, if there are any.
  private final Map<Integer, List<Integer>> laterEpochs = new HashMap<>();

  // By server: partitions of the range that it was asked for.
  private final Map<Integer, BitSet> asked = new HashMap<>();

  // By server: those that it may hold something of.
  private final Map<Integer, BitSet> held = new HashMap<>();

  private final Map<Integer, Failures> failures = new HashMap<>();
  private boolean hasReplicas;

  /**
   * @param doubted servers that were in trouble when the reader asked them before
   */
  FetchPlan(ReadScope scope, Completeness wanted, ConnectionPool connections, BitSet doubted) {
    this.scope = scope;
    this.wanted = wanted;
    this.connections = connections;
    this.doubted = doubted;
    ShufflePlacement placement = scope.placement();
    this.servers = placement.servers();
    this.firstEpoch = Math.min(scope.expected().firstEpoch(), placement.epochs() - 1);
    for (int epoch = firstEpoch + 1; epoch < placement.epochs(); epoch++) {
      int partition = placement.nextNamed(epoch, scope.firstPartition());
      while (partition < scope.endPartition()) {
        laterEpochs
            .computeIfAbsent(partition - scope.firstPartition(), at -> new ArrayList<>())
            .add(epoch);
        partition = placement.nextNamed(epoch, partition + 1);
      }
    }
  }

  /** Whom to ask at first. */
  List<ServerFetch> first() {
    Map<Integer, BitSet> fetches = new LinkedHashMap<>();
    for (int i = 0; i < scope.endPartition() - scope.firstPartition(); i++) {
      int at = i;
      if (wanted.isIncomplete(scope.firstPartition() + at)) {
        for (int epoch : epochs(at)) {
          hasReplicas |= scope.placement().replicas(epoch) > 1;
          noteHolders(epoch, at);
          ask(epoch, at, server -> wasAsked(server, at), fetches);
        }
      }
    }
    return fetches(fetches, false);
  }

  private void noteHolders(int epoch, int at) {
    for (int replica = 0; replica < scope.placement().replicas(epoch); replica++) {
      held.computeIfAbsent(member(epoch, at, replica), server -> new BitSet()).set(at);
    }
  }

  private boolean wasAsked(int server, int at) {
    BitSet partitions = asked.get(server);
    return partitions != null && partitions.get(at);
  }

  /** Whether any set has more than one member. */
  boolean hasReplicas() {
    return hasReplicas;
  }

  /**
   * Whom to ask besides.
   *
   * @param partitions positions in the range that lack something
   * @param concerned the server whose sets are to be looked at, or -1 for all sets
   * @param hope whether a server, at a position, may still bring what is missing
   */
  List<ServerFetch> more(IntStream partitions, int concerned, Hope hope) {
    Map<Integer, BitSet> fetches = new LinkedHashMap<>();
    partitions
        .filter(at -> wanted.isIncomplete(scope.firstPartition() + at))
        .forEach(
            at -> {
              for (int epoch : epochs(at)) {
                if (concerned < 0 || hasMember(epoch, at, concerned)) {
                  ask(epoch, at, server -> hope.isLeft(server, at), fetches);
                }
              }
            });
    return fetches(fetches, true);
  }

  /** What is known of requests under way. */
  interface Hope {
    boolean isLeft(int server, int partition);
  }

  private List<Integer> epochs(int at) {
    List<Integer> epochs = new ArrayList<>(1);
    epochs.add(scope.placement().epochOf(scope.firstPartition() + at, firstEpoch));
    epochs.addAll(laterEpochs.getOrDefault(at, List.of()));
    return epochs;
  }

  private int member(int epoch, int at, int replica) {
    return scope.placement().server(epoch, scope.firstPartition() + at, replica);
  }

  private boolean hasMember(int epoch, int at, int server) {
    for (int replica = 0; replica < scope.placement().replicas(epoch); replica++) {
      if (member(epoch, at, replica) == server) {
        return true;
      }
    }
    return false;
  }

  /** Asks the best member of a set that was not asked yet, unless one will do already. */
  private void ask(int epoch, int at, IntPredicate does, Map<Integer, BitSet> fetches) {
    int newest = scope.placement().epochOf(scope.firstPartition() + at, Integer.MAX_VALUE);
    int best = -1;
    int leastDoubt = Integer.MAX_VALUE;
    int replicas = scope.placement().replicas(epoch);
    for (int replica = 0; replica < replicas; replica++) {
      int server = member(epoch, at, replica);
      if (does.test(server)) {
        return;
      }
      if (!wasAsked(server, at)) {
        int doubt = replicas == 1 ? 0 : doubt(server, newest, at);
        if (doubt < leastDoubt) {
          best = server;
          leastDoubt = doubt;
        }
      }
    }
    if (best >= 0) {
      asked.computeIfAbsent(best, server -> new BitSet()).set(at);
      fetches.computeIfAbsent(best, server -> new BitSet()).set(at);
    }
  }

  private int doubt(int server, int newest, int at) {
    boolean away = doubted.get(server) || connection(server).isAway();
    return (away ? 2 : 0) + (hasMember(newest, at, server) ? 0 : 1);
  }

  private ServerConnection connection(int server) {
    return connections.get(servers.get(server), scope.shuffle());
  }

  /** In order of partitions, so that all servers are asked before one is asked for its last. */
  private List<ServerFetch> fetches(Map<Integer, BitSet> byServer, boolean standIns) {
    List<ServerFetch> fetches = new ArrayList<>(byServer.size());
    byServer.forEach(
        (server, partitions) -> {
          ServerConnection connection = connection(server);
          Failures inARow = failures.computeIfAbsent(server, key -> new Failures());
          for (Run run : Run.of(partitions, held.getOrDefault(server, partitions))) {
            fetches.add(
                new ServerFetch(server, servers.get(server), connection, run, standIns, inARow));
          }
        });
    fetches.sort(Comparator.comparingInt(fetch -> fetch.run().first()));
    return fetches;
  }
}

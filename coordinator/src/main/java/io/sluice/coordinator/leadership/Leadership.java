package io.sluice.coordinator.leadership;

import io.sluice.common.id.ClusterId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this coordinator leads, and what it leads. Between winning an election and having loaded
 * the store it does not lead yet.
 *
 * <p>A coordinator that lost the election again before its term had begun may begin it late, after
 * its successor's, whose writes fail from then on. The successor finds out by the first of them. It
 * cannot tell whether it is the one that was elected: if the node that it stands by was deleted by
 * hand, another was, and each would end the other's term for ever. So it leaves the election and
 * stands again, behind those who stand already, and leads when it is elected.
 */
public final class Leadership {
  private static final Logger log = LoggerFactory.getLogger(Leadership.class);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Scheduler control;
  private final StateStore store;
  private final Runnable standAgain;
  private final BiFunction<Term, StateStore, Cluster> clusters;
  private @Nullable Cluster cluster;
  private Optional<ClusterId> clusterId = Optional.empty();
  private String ownAddress = "";
  private String leader = "";
  private List<String> candidates = List.of();
  // Grows with every turn of fortune, so that what an earlier one began is recognised as stale.
  private long turn;

  /**
   * @param standAgain leaves the election and stands behind the others, who may all be this one;
   *     must only hand over
   * @param clusters makes the cluster of a term, over the store that it is to write to
   */
  public Leadership(
      Scheduler control,
      StateStore store,
      Runnable standAgain,
      BiFunction<Term, StateStore, Cluster> clusters) {
    this.control = control;
    this.store = store;
    this.standAgain = standAgain;
    this.clusters = clusters;
  }

  /**
   * The election was won.
   *
   * @param address host:port of this coordinator, to be named to clients
   */
  public void elected(String address) {
    ownAddress = address;
    turn++;
    begin(turn);
  }

  /** The election was lost, or can no longer be relied on. */
  public void deposed() {
    turn++;
    if (leader.equals(ownAddress)) {
      leader = "";
    }
    Cluster ending = cluster;
    cluster = null;
    if (ending != null) {
      log.warn("no longer the leader; term {} ends", ending.term());
      ending.close(new NotLeaderException(leader));
    }
  }

  /** The store refuses what the term of this turn writes. */
  private void fenced(long mine) {
    Cluster ending = cluster;
    if (mine != turn || ending == null) {
      return;
    }
    log.warn(
        "another coordinator began a term after term {}: standing for election again",
        ending.term());
    turn++;
    cluster = null;
    if (leader.equals(ownAddress)) {
      leader = "";
    }
    ending.close(new NotLeaderException(leader));
    standAgain.run();
  }

  /**
   * Someone leads.
   *
   * @param address host:port, empty if nobody is known to
   */
  public void leaderIs(String address) {
    leader = address;
  }

  /**
   * These stand for election.
   *
   * @param addresses host:port of each coordinator that is there
   */
  public void candidatesAre(List<String> addresses) {
    candidates = List.copyOf(addresses);
  }

  /** host:port of each coordinator that is there, in their order, whoever leads among them. */
  public List<String> coordinators() {
    return Stream.concat(Stream.of(leader), candidates.stream())
        .filter(address -> !address.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  /** host:port of whoever leads, empty if unknown. */
  public String leader() {
    return leader;
  }

  public boolean leads() {
    return cluster != null;
  }

  /**
   * The cluster this coordinator leads.
   *
   * @throws NotLeaderException if it does not
   */
  public Cluster cluster() {
    if (cluster == null) {
      throw new NotLeaderException(leader.equals(ownAddress) ? "" : leader);
    }
    return cluster;
  }

  /** The id of the cluster that {@link #cluster} gives; empty if its store has none. */
  public Optional<ClusterId> clusterId() {
    return clusterId;
  }

  private void begin(long mine) {
    store
        .beginTerm(ownAddress)
        .whenComplete((term, failure) -> control.execute(() -> begun(mine, term, failure)));
  }

  private void begun(long mine, @Nullable Term term, @Nullable Throwable failure) {
    if (mine != turn) {
      return;
    }
    if (term == null) {
      log.warn("elected, but the term could not begin; trying again", failure);
      beginLater(mine);
      return;
    }
    log.info(
        "leading term {} of cluster {}: {} applications and {} servers known",
        term.number(),
        term.cluster().map(ClusterId::toString).orElse("without an id"),
        term.applications().size(),
        term.servers().size());
    leader = ownAddress;
    clusterId = term.cluster();
    Runnable onFenced = () -> control.execute(() -> fenced(mine));
    cluster = clusters.apply(term, new FenceWatch(store, onFenced));
  }

  private void beginLater(long mine) {
    control.schedule(
        RETRY_NANOS,
        () -> {
          if (mine == turn) {
            begin(mine);
          }
        });
  }
}

package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.EpochMint;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placements of the shuffles that are alive, and the only place where they get new epochs: so
 * each has one history, whoever asks. Thread-safe; never blocks.
 */
public final class LiveShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(LiveShuffles.class);

  private final ServerBook servers;
  private final Map<Integer, FixedPlacement> placements = new ConcurrentHashMap<>();
  private volatile Moves moves = (shuffle, added) -> {};

  /** Who has to know which servers new epochs name. Must not block, nor ask for placements. */
  public interface Moves {
    /**
     * @param added servers that no earlier epoch of the shuffle names
     */
    void moved(ShuffleKey shuffle, Collection<PlacedServer> added);
  }

  public LiveShuffles(ServerBook servers) {
    this.servers = servers;
  }

  /** Tells of every new epoch, before anybody else sees it. To be called before there is any. */
  public void tell(Moves whom) {
    moves = whom;
  }

  public void add(FixedPlacement placement) {
    placements.put(placement.shuffle().shuffleId(), placement);
  }

  public void remove(int shuffleId) {
    placements.remove(shuffleId);
  }

  /** The newest placement of a shuffle, or null if it is gone. */
  public @Nullable FixedPlacement newest(int shuffleId) {
    return placements.get(shuffleId);
  }

  boolean isAlive(ShuffleKey shuffle) {
    FixedPlacement placement = placements.get(shuffle.shuffleId());
    return placement != null && placement.shuffle().equals(shuffle);
  }

  /** The ids of all shuffles. */
  public Collection<Integer> ids() {
    return placements.keySet();
  }

  /**
   * The newest placement, with one epoch more if it has fewer than are asked for.
   *
   * @throws SluiceException UNKNOWN_SHUFFLE, or NO_SERVERS if what is complained about cannot lie
   *     anywhere else
   */
  public FixedPlacement atLeast(EpochRequest request) {
    FixedPlacement answer =
        placements.computeIfPresent(
            request.shuffleId(),
            (id, known) ->
                known.epochs() < request.epochs() && isOf(known, request)
                    ? next(known, request.complaints())
                    : known);
    if (answer == null || !isOf(answer, request)) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, "the driver has no such shuffle: " + request);
    }
    if (answer.epochs() < request.epochs()) {
      throw new SluiceException(ErrorCode.NO_SERVERS, "nothing to change for " + request);
    }
    return answer;
  }

  /** Tasks of an earlier generation may still ask; what they complain of is not this one's. */
  private static boolean isOf(FixedPlacement placement, EpochRequest request) {
    return placement.shuffle().generation() == request.generation();
  }

  /** Makes attempts that begin from now on leave servers alone that are away, and these. */
  public void leave(int shuffleId, List<Complaint> complaints) {
    try {
      placements.computeIfPresent(shuffleId, (id, known) -> next(known, complaints));
    } catch (SluiceException e) {
      // Writers will find out, and wait for the server or fail.
      LOG.warn("Shuffle {} stays where it is: {}", shuffleId, e.getMessage());
    }
  }

  /** Makes sets that are smaller than wanted grow, if there are servers for that again. */
  void grow(int shuffleId) {
    try {
      placements.computeIfPresent(
          shuffleId,
          (id, known) ->
              announced(known, EpochMint.grown(known, servers), "sets that were small have grown"));
    } catch (SluiceException e) {
      LOG.warn("Replica sets of shuffle {} stay small: {}", shuffleId, e.getMessage());
    }
  }

  private FixedPlacement next(FixedPlacement known, List<Complaint> complaints) {
    return announced(
        known,
        EpochMint.next(known, complaints, servers),
        complaints.isEmpty() ? "a server of it is suspect, lost or leaving" : complaints);
  }

  private FixedPlacement announced(FixedPlacement known, FixedPlacement next, Object why) {
    if (next != known) {
      LOG.warn("Shuffle {} has epoch {}: {}", known.shuffle(), next.epochs() - 1, why);
      // What becomes of them may not be heard of else: the book changed while the epoch was made.
      Set<PlacedServer> added = new HashSet<>(next.servers());
      known.servers().forEach(added::remove);
      if (!added.isEmpty()) {
        moves.moved(known.shuffle(), added);
      }
    }
    return next;
  }

  /** All servers that any epoch of any shuffle names. */
  public Collection<PlacedServer> servers() {
    Set<PlacedServer> servers = new HashSet<>();
    placements.values().forEach(placement -> servers.addAll(placement.servers()));
    return servers;
  }

  /** Whether any epoch of a shuffle names a server of which something is gone. */
  boolean names(int shuffleId, Predicate<PlacedServer> which) {
    FixedPlacement placement = placements.get(shuffleId);
    return placement != null && placement.servers().stream().anyMatch(which);
  }
}

package io.sluice.client.control;

import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeldShuffle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The shuffles that an application has placed and not removed, and which term's leader knows them.
 * A new leader does not, and quotas count them: it is told with one heartbeat. Thread-safe.
 *
 * <p>A heartbeat is tried again until somebody answers, so a shuffle that it names may be removed
 * meanwhile, and the removal may be there first. The leader would count that shuffle until its term
 * ends. So once such a heartbeat is answered, what was removed since it was made is removed again.
 */
final class HeldShuffles {
  /** As many as a heartbeat may name. */
  static final int LIMIT = 10_000;

  private static final long NONE = -1;

  // Guarded by this.
  private final Map<ShuffleKey, Integer> copies = new LinkedHashMap<>();
  private final Set<ShuffleKey> overtaken = new LinkedHashSet<>();
  // Whether a heartbeat that names shuffles may still arrive somewhere.
  private boolean telling;
  private long told = NONE;
  private long heard = NONE;

  /** A shuffle was placed by the leader that we registered with, or by a later one. */
  synchronized void placed(ShuffleKey shuffle, int copiesOfPartitions) {
    overtaken.remove(shuffle);
    if (copies.size() < LIMIT) {
      copies.put(shuffle, copiesOfPartitions);
    }
  }

  synchronized void removed(ShuffleKey shuffle) {
    if (copies.remove(shuffle) != null && telling && overtaken.size() < LIMIT) {
      overtaken.add(shuffle);
    }
  }

  /**
   * Shuffles that a heartbeat has named although they were removed before it was answered, if none
   * is under way any more; each once.
   */
  synchronized List<ShuffleKey> overtaken() {
    List<ShuffleKey> again = new ArrayList<>();
    if (!telling) {
      again.addAll(overtaken);
      overtaken.clear();
    }
    return again;
  }

  /** Whoever leads may have forgotten all of them. */
  synchronized void forgotten() {
    told = NONE;
  }

  /** Puts into a heartbeat what the leader that answered the last one has not been told. */
  synchronized void addTo(HeartbeatApplicationRequest.Builder heartbeat) {
    if (told != heard) {
      telling |= !copies.isEmpty();
      copies.forEach(
          (shuffle, count) ->
              heartbeat.addShuffles(
                  HeldShuffle.newBuilder()
                      .setShuffleId(shuffle.shuffleId())
                      .setGeneration(shuffle.generation())
                      .setCopies(count)));
    }
  }

  /**
   * A leader answered.
   *
   * @param toldNow whether it was told what we have
   * @return whether it has to be told
   */
  synchronized boolean answered(long term, boolean toldNow) {
    heard = term;
    // One heartbeat at a time: what was under way before has been answered, or cancelled.
    telling = false;
    if (toldNow || copies.isEmpty()) {
      told = term;
    }
    return told != term;
  }
}

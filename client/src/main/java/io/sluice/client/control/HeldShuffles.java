package io.sluice.client.control;

import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeldShuffle;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shuffles that an application has placed and not removed, and which term's leader knows them.
 * A new leader does not, and quotas count them: it is told with one heartbeat. Thread-safe.
 */
final class HeldShuffles {
  /** As many as a heartbeat may name. */
  static final int LIMIT = 10_000;

  private static final long NONE = -1;

  // Guarded by this.
  private final Map<ShuffleKey, Integer> copies = new LinkedHashMap<>();
  private long told = NONE;
  private long heard = NONE;

  /** A shuffle was placed by the leader that we registered with, or by a later one. */
  synchronized void placed(ShuffleKey shuffle, int copiesOfPartitions) {
    if (copies.size() < LIMIT) {
      copies.put(shuffle, copiesOfPartitions);
    }
  }

  synchronized void removed(ShuffleKey shuffle) {
    copies.remove(shuffle);
  }

  /** Whoever leads may have forgotten all of them. */
  synchronized void forgotten() {
    told = NONE;
  }

  /** Puts into a heartbeat what the leader that answered the last one has not been told. */
  synchronized void addTo(HeartbeatApplicationRequest.Builder heartbeat) {
    if (told != heard) {
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
    if (toldNow || copies.isEmpty()) {
      told = term;
    }
    return told != term;
  }
}

package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks servers that came back without their memory what they have whole on their disks: once for
 * each shuffle and life that was lost, since what that life had does not become more.
 *
 * <p>One that does not say has nothing: its map outputs are computed again, as if it were not back.
 * Used by the scheduler's thread.
 */
public final class Salvage {
  private static final Logger LOG = LoggerFactory.getLogger(Salvage.class);

  /** Who can ask a server. */
  public interface Disks {
    /**
     * Does not block.
     *
     * @param server as it is now
     */
    CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle);
  }

  private final ServerBook servers;
  private final Disks disks;
  private final Scheduler scheduler;

  // Null while a question is open.
  private final Map<Question, @Nullable StoredMaps> answers = new HashMap<>();

  public Salvage(ServerBook servers, Disks disks, Scheduler scheduler) {
    this.servers = servers;
    this.disks = disks;
    this.scheduler = scheduler;
  }

  /**
   * What a lost life of a server had on its disks, and it still has.
   *
   * @param answered run by the scheduler when this may say more, if the result is null
   * @return null if that is not known yet
   */
  @Nullable StoredMaps of(ShuffleKey shuffle, PlacedServer lost, Runnable answered) {
    Optional<PlacedServer> now = servers.later(lost);
    if (now.isEmpty()) {
      return StoredMaps.NONE;
    }
    Question question = new Question(shuffle, lost);
    if (!answers.containsKey(question)) {
      answers.put(question, null);
      ask(question, now.get(), answered);
    }
    return answers.get(question);
  }

  private void ask(Question question, PlacedServer now, Runnable answered) {
    CompletionStage<StoredMaps> asked;
    try {
      asked = disks.storedMaps(now, question.shuffle);
    } catch (RuntimeException e) {
      settle(question, StoredMaps.NONE, e);
      return;
    }
    asked.whenComplete(
        (maps, failure) ->
            scheduler.execute(
                () -> {
                  settle(question, maps == null ? StoredMaps.NONE : maps, failure);
                  answered.run();
                }));
  }

  private void settle(Question question, StoredMaps maps, @Nullable Throwable failure) {
    if (failure == null) {
      LOG.warn(
          "{} is back without its memory, and has {} of shuffle {} whole on its disks",
          question.lost,
          maps,
          question.shuffle);
    } else {
      LOG.warn(
          "{} is back without its memory, and does not say what it has of shuffle {}: all of it is"
              + " computed again",
          question.lost,
          question.shuffle,
          failure);
    }
    answers.replace(question, maps);
  }

  /** Forgets what is known of shuffles that are gone. */
  void retain(Predicate<ShuffleKey> alive) {
    answers.keySet().removeIf(question -> !alive.test(question.shuffle));
  }

  private static final class Question {
    final ShuffleKey shuffle;
    final PlacedServer lost;

    Question(ShuffleKey shuffle, PlacedServer lost) {
      this.shuffle = shuffle;
      this.lost = lost;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Question
          && ((Question) other).shuffle.equals(shuffle)
          && ((Question) other).lost.equals(lost);
    }

    @Override
    public int hashCode() {
      return Objects.hash(shuffle, lost);
    }
  }
}

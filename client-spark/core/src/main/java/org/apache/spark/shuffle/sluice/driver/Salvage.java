package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks servers that came back without their memory what they have whole on their disks: each life
 * of a server once for each shuffle. A life that comes after it may have come without a disk.
 *
 * <p>One that does not say has nothing: its map outputs are computed again, as if it were not back.
 * So are those of one whose word was found wrong twice: it knows them from its catalog, and not
 * what became of the blocks themselves. After the first time it is asked once more, as a disk may
 * have gone since.
 *
 * <p>Used by the scheduler's thread, but for {@link #arrival}.
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

  private final Map<Question, Answer> answers = new HashMap<>();
  private final AtomicLong secondAnswers = new AtomicLong();

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
    Question question = new Question(shuffle, now.get());
    Answer known = answers.get(question);
    if (known == null) {
      known = new Answer(false);
      answers.put(question, known);
      ask(question, known, answered);
    }
    return known.maps;
  }

  /** The same without asking: nothing as long as that is not known. */
  StoredMaps told(ShuffleKey shuffle, PlacedServer lost) {
    Answer known =
        servers.later(lost).map(now -> answers.get(new Question(shuffle, now))).orElse(null);
    return known == null || known.maps == null ? StoredMaps.NONE : known.maps;
  }

  /**
   * What servers say they have whole, a reader did not get from them. The first time a server is
   * asked once more; the second time it has told nothing of the shuffle from then on, until it
   * comes back once more. A report that came before that second answer says nothing of it.
   *
   * @param lost lives of them
   * @param arrival {@link #arrival} when the reader's report came
   * @param answered run when what one has told is another
   */
  void doubt(ShuffleKey shuffle, Set<PlacedServer> lost, long arrival, Runnable answered) {
    Set<Question> doubtful = new HashSet<>();
    for (PlacedServer life : lost) {
      servers.later(life).ifPresent(now -> doubtful.add(new Question(shuffle, now)));
    }
    doubtful.forEach(question -> doubt(question, arrival, answered));
  }

  /** How many servers have answered that were asked once more. Any thread may call this. */
  long arrival() {
    return secondAnswers.get();
  }

  private void doubt(Question question, long arrival, Runnable answered) {
    Answer known = answers.get(question);
    if (known == null || known.maps == null || known.maps.size() == 0) {
      return;
    }
    if (!known.second) {
      LOG.warn(
          "{} does not deliver what it says it has whole of shuffle {}, and is asked once more",
          question.server,
          question.shuffle);
      Answer second = new Answer(true);
      answers.put(question, second);
      ask(question, second, answered);
      return;
    }
    if (arrival < known.number) {
      LOG.info(
          "A reader did not get from {} all that it had whole of shuffle {}, before it was asked"
              + " once more",
          question.server,
          question.shuffle);
      return;
    }
    LOG.warn(
        "{} does not deliver what it says once more it has whole of shuffle {}: nothing that it"
            + " says it has of it is believed any more, and all of it is computed again",
        question.server,
        question.shuffle);
    known.maps = StoredMaps.NONE;
    answered.run();
  }

  private void ask(Question question, Answer answer, Runnable answered) {
    CompletionStage<StoredMaps> asked;
    try {
      asked = disks.storedMaps(question.server, question.shuffle);
    } catch (RuntimeException | OutOfMemoryError e) {
      // The latter if there is no thread to be had for the first question. What stays open would be
      // waited for.
      asked = CompletableFuture.failedFuture(e);
    }
    asked.whenComplete(
        (maps, failure) ->
            scheduler.execute(
                () -> {
                  settle(question, answer, maps, failure);
                  if (answer.second) {
                    answer.number = secondAnswers.incrementAndGet();
                  }
                  try {
                    answered.run();
                  } finally {
                    answer.dealtWith.complete(null);
                  }
                }));
  }

  private static void settle(
      Question question, Answer answer, @Nullable StoredMaps maps, @Nullable Throwable failure) {
    if (maps != null) {
      LOG.warn(
          "{} is back without its memory, and tells of {} of shuffle {} on its disks, with every"
              + " block that they sent it by its own count; those that did not win are among them",
          question.server,
          maps,
          question.shuffle);
      answer.maps = maps;
    } else if (hasNothing(failure)) {
      LOG.warn(
          "{} is back without its memory, and has nothing of shuffle {} on its disks: all that was"
              + " there is computed again",
          question.server,
          question.shuffle);
      answer.maps = StoredMaps.NONE;
    } else {
      LOG.warn(
          "{} is back without its memory, and does not say what it has of shuffle {}: all of it is"
              + " computed again",
          question.server,
          question.shuffle,
          failure);
      answer.maps = StoredMaps.NONE;
    }
  }

  /** Whether that the server knows nothing of the shuffle is its answer. */
  private static boolean hasNothing(@Nullable Throwable failure) {
    return failure instanceof SluiceException
        && ((SluiceException) failure).code() == ErrorCode.UNKNOWN_SHUFFLE;
  }

  /**
   * Runs a task when nothing is asked about a shuffle any more, and what was told is dealt with.
   */
  void whenSettled(int shuffleId, Runnable task) {
    CompletableFuture<?>[] open =
        answers.entrySet().stream()
            .filter(entry -> entry.getKey().shuffle.shuffleId() == shuffleId)
            .filter(entry -> entry.getValue().maps == null)
            .map(entry -> entry.getValue().dealtWith)
            .toArray(CompletableFuture<?>[]::new);
    if (open.length == 0) {
      task.run();
    } else {
      // A server may have died once more meanwhile.
      CompletableFuture<?> unused =
          CompletableFuture.allOf(open).thenRun(() -> whenSettled(shuffleId, task));
    }
  }

  /** Forgets what is known of shuffles that are gone. */
  void retain(Predicate<ShuffleKey> alive) {
    answers.keySet().removeIf(question -> !alive.test(question.shuffle));
  }

  /** Of one question; without maps while it is open. */
  private static final class Answer {
    final boolean second;
    final CompletableFuture<Void> dealtWith = new CompletableFuture<>();
    @Nullable StoredMaps maps;
    // Of a second answer, from 1.
    long number;

    Answer(boolean second) {
      this.second = second;
    }
  }

  private static final class Question {
    final ShuffleKey shuffle;
    final PlacedServer server;

    Question(ShuffleKey shuffle, PlacedServer server) {
      this.shuffle = shuffle;
      this.server = server;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Question
          && ((Question) other).shuffle.equals(shuffle)
          && ((Question) other).server.equals(server);
    }

    @Override
    public int hashCode() {
      return Objects.hash(shuffle, server);
    }
  }
}

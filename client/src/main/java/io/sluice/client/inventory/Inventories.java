package io.sluice.client.inventory;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.ServerConnection;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The questions of a process about what servers have whole: one at a time to each connection, which
 * is what servers answer; others wait for that. Thread-safe.
 */
public final class Inventories {
  /**
   * From the question to its answer. A server reads what its catalogs say of 1 TB in 4 MiB units,
   * 250,000 records, within seconds; others may be asked about first.
   */
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  // Guarded by itself; the first of each is under way.
  private final Map<ServerConnection, ArrayDeque<Question>> questions = new HashMap<>();

  /**
   * Asks a server.
   *
   * @param server its present life
   * @return fails with a SluiceException: TIMED_OUT after {@link #PATIENCE}, UNSUPPORTED_VERSION if
   *     the server is too old, UNKNOWN_SHUFFLE if it has nothing of it, MALFORMED_FRAME, or what
   *     else keeps from asking. Completed on the connection's event loop
   */
  public CompletionStage<StoredMaps> ask(
      ServerConnection connection, ShuffleKey shuffle, PlacedServer server) {
    Question question = new Question(connection, shuffle, server);
    boolean first;
    synchronized (questions) {
      ArrayDeque<Question> waiting =
          questions.computeIfAbsent(connection, key -> new ArrayDeque<>());
      waiting.add(question);
      first = waiting.size() == 1;
    }
    if (first) {
      question.begin();
    }
    return question.answer;
  }

  private void ended(Question question) {
    @Nullable Question next;
    synchronized (questions) {
      ArrayDeque<Question> waiting = Objects.requireNonNull(questions.get(question.connection));
      waiting.remove();
      next = waiting.peek();
      if (next == null) {
        questions.remove(question.connection);
      }
    }
    if (next != null) {
      next.begin();
    }
  }

  private final class Question {
    final ServerConnection connection;
    final CompletableFuture<StoredMaps> answer = new CompletableFuture<>();
    private final InventoryQuery query;
    private final long askedAt;

    Question(ServerConnection connection, ShuffleKey shuffle, PlacedServer server) {
      this.connection = connection;
      this.query = new InventoryQuery(connection, shuffle, server, answer);
      this.askedAt = connection.loop().clock().nanoTime();
    }

    void begin() {
      CompletableFuture<?> unused = answer.whenComplete((maps, failure) -> ended(this));
      boolean begins =
          connection.execute(
              () -> {
                long waited = connection.loop().clock().nanoTime() - askedAt;
                query.begin(PATIENCE.minusNanos(waited));
              });
      if (!begins) {
        answer.completeExceptionally(
            new SluiceException(ErrorCode.CANCELLED, "the client is closed"));
      }
    }
  }
}

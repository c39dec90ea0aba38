package io.sluice.cli.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.CommandFailedException;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader to drain a server and hears what becomes of it. Who waits outlives leaders: after
 * a broken stream, or while nobody leads, the same is asked of the next coordinator, or of whom it
 * calls the leader, and of all of them again and again for a minute, which is far longer than an
 * election.
 */
final class DrainCall {
  private static final long PAUSE_SECONDS = 1;
  private static final int ROUNDS_WITHOUT_ANSWER = 60;

  private final CoordinatorChannels channels;
  private final List<String> coordinators;
  private final Consumer<DrainProgress> listener;
  private @Nullable DrainProgress last;
  private int roundsWithoutAnswer;

  /**
   * @param channels how coordinators are reached
   * @param coordinators host:port of each; the leader need not be among them
   * @param listener told of everything that is said
   */
  DrainCall(
      CoordinatorChannels channels, List<String> coordinators, Consumer<DrainProgress> listener) {
    this.channels = channels;
    this.coordinators = coordinators;
    this.listener = listener;
  }

  /**
   * Blocks until the wish is kept and, if the request says so, the server is empty or lost.
   *
   * @return what was said last
   * @throws CommandFailedException if the wish is refused or nobody answers
   */
  DrainProgress run(DrainServerRequest request) {
    while (true) {
      LeaderSearch search = new LeaderSearch(coordinators);
      for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
        if (ask(next.get(), request, search)) {
          return Objects.requireNonNull(last, "a stream ended without a word");
        }
      }
      boolean outlives = request.getWait() && (last != null || search.isElecting());
      if (!outlives || ++roundsWithoutAnswer > ROUNDS_WITHOUT_ANSWER) {
        throw search.nobodyAnswers();
      }
      CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS))
          .join();
    }
  }

  /** Whether the coordinator has said all there is to say. */
  private boolean ask(String coordinator, DrainServerRequest request, LeaderSearch search) {
    ManagedChannel channel = channels.to(coordinator);
    try {
      Iterator<DrainProgress> progress =
          ClusterServiceGrpc.newBlockingStub(channel).drainServer(request);
      while (progress.hasNext()) {
        last = progress.next();
        roundsWithoutAnswer = 0;
        listener.accept(last);
      }
      return true;
    } catch (StatusRuntimeException failure) {
      search.failed(coordinator, failure);
      return false;
    } finally {
      channel.shutdownNow();
    }
  }
}

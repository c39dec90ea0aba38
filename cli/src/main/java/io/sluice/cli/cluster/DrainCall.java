package io.sluice.cli.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.CommandFailedException;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader to drain a server and hears what becomes of it. Who waits for that outlives
 * leaders: after a broken stream, or while nobody leads, the same is asked of the next coordinator,
 * or of whom it calls the leader, and of all of them again and again for a minute, which is far
 * longer than an election. Who does not is as patient as with any other command.
 */
final class DrainCall {
  private static final Duration PATIENCE_OF_WAITING = Duration.ofMinutes(1);
  private static final long DEADLINE_SECONDS = 10;

  private final CoordinatorChannels channels;
  private final List<String> coordinators;
  private final Consumer<DrainProgress> listener;
  private final Duration patience;
  private final LeaderWait wait = new LeaderWait(Clock.system(), System.err::println);
  private @Nullable DrainProgress last;

  /**
   * @param channels how coordinators are reached
   * @param coordinators host:port of each; the leader need not be among them
   * @param listener told of everything that is said
   * @param patience how long to ask again while nobody leads, if it is not waited for the end
   */
  DrainCall(
      CoordinatorChannels channels,
      List<String> coordinators,
      Consumer<DrainProgress> listener,
      Duration patience) {
    this.channels = channels;
    this.coordinators = coordinators;
    this.listener = listener;
    this.patience = patience;
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
      // Who has heard of the server goes on even if all coordinators are away for a while.
      boolean outlives = search.isElecting() || (request.getWait() && last != null);
      Duration most = request.getWait() ? PATIENCE_OF_WAITING : patience;
      if (!outlives || !wait.again(most, search.trouble())) {
        throw search.nobodyAnswers();
      }
    }
  }

  /** Whether the coordinator has said all there is to say. */
  private boolean ask(String coordinator, DrainServerRequest request, LeaderSearch search) {
    ManagedChannel channel = channels.to(coordinator);
    try {
      ClusterServiceGrpc.ClusterServiceBlockingStub stub =
          ClusterServiceGrpc.newBlockingStub(channel);
      Iterator<DrainProgress> progress =
          (request.getWait() ? stub : stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS))
              .drainServer(request);
      while (progress.hasNext()) {
        last = progress.next();
        wait.answered();
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

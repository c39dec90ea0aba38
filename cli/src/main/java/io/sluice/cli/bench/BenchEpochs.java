package io.sluice.cli.bench;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.ServerWatch;
import io.sluice.client.epoch.EpochMint;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the epochs of a run's one shuffle, as an engine's driver does: a server that dies, goes or
 * is full is left. Thread-safe; never blocks.
 */
final class BenchEpochs implements PlacementSource, AutoCloseable {
  private final RegisteredApplication application;
  private final Consumer<String> progress;
  private final ServerBook servers = new ServerBook(Clock.system());
  private final ServerWatch watch;
  // Guarded by this.
  private @Nullable FixedPlacement newest;

  /**
   * Begins to hear of servers.
   *
   * @param progress told of each change
   */
  BenchEpochs(RegisteredApplication application, Consumer<String> progress) {
    this.application = application;
    this.progress = progress;
    this.watch = application.watchServers(servers);
  }

  /** The shuffle as it was placed; before anybody asks. */
  synchronized void begin(FixedPlacement placement) {
    newest = placement;
  }

  @Override
  public CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
    try {
      return CompletableFuture.completedFuture(atLeast(epochs, complaints));
    } catch (SluiceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  private synchronized FixedPlacement atLeast(int epochs, List<Complaint> complaints) {
    FixedPlacement known = newest;
    if (known == null) {
      throw new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "nothing is placed yet");
    }
    if (known.epochs() >= epochs) {
      return known;
    }
    FixedPlacement next = EpochMint.next(known, complaints, servers);
    if (next.epochs() < epochs) {
      throw new SluiceException(ErrorCode.NO_SERVERS, "nothing to change for " + complaints);
    }
    Set<PlacedServer> added = new HashSet<>(next.servers());
    known.servers().forEach(added::remove);
    if (!added.isEmpty()) {
      application.moved(next.shuffle(), added);
    }
    progress.accept("goes on elsewhere: " + complaints);
    newest = next;
    return next;
  }

  @Override
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    return CompletableFuture.completedFuture(servers.whereabouts(server));
  }

  /** How often the placement has changed. */
  synchronized int changes() {
    return newest == null ? 0 : newest.epochs() - 1;
  }

  @Override
  public void close() {
    watch.close();
  }
}

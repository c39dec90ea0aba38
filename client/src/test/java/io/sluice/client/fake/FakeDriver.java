package io.sluice.client.fake;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.epoch.EpochMint;
import io.sluice.client.epoch.LiveServer;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes epochs of one shuffle, over servers that are up and say so; answers after a delay. */
public final class FakeDriver implements PlacementSource {
  private final FakeCluster cluster;
  private FixedPlacement placement;

  /** What it was asked, in order. */
  public final List<List<Complaint>> asked = new ArrayList<>();

  /** What it has heard is away. */
  public final List<PlacedServer> away = new ArrayList<>();

  /** Set, it does not answer who asks for epochs. */
  public boolean hangs;

  /** Set, it refuses everything. */
  public boolean refuses;

  /** What it says of every server; null if it does not manage to answer. */
  public @Nullable Prospect prospect = Prospect.UNKNOWN;

  /** Whether it knows where servers are, as they last said. */
  public boolean knowsAddresses = true;

  /** Set, it answers no question about a server, not even that it does not know. */
  public boolean saysNothing;

  /** How much longer it takes to answer questions about servers. */
  public Duration thinks = Duration.ZERO;

  /** How often it was asked about a server. */
  public int prospectsAsked;

  /** Set, it does not know the shuffle any more. */
  public boolean gone;

  FakeDriver(FakeCluster cluster, FixedPlacement placement) {
    this.cluster = cluster;
    this.placement = placement;
  }

  public FixedPlacement placement() {
    return placement;
  }

  @Override
  public CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
    CompletableFuture<ShufflePlacement> answer = new CompletableFuture<>();
    asked.add(complaints);
    if (hangs) {
      return answer;
    }
    cluster.loop.schedule(cluster.faults.delay(), () -> answer(epochs, complaints, answer));
    return answer;
  }

  @Override
  public boolean hearsOfServers() {
    return true;
  }

  @Override
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    CompletableFuture<Whereabouts> answer = new CompletableFuture<>();
    prospectsAsked++;
    cluster.loop.schedule(
        cluster.faults.delay() + thinks.toNanos(),
        () -> {
          Prospect known = prospect;
          if (saysNothing) {
            return;
          }
          if (known == null) {
            answer.completeExceptionally(new IllegalStateException("cut off, says the test"));
          } else if (known == Prospect.LOST || !knowsAddresses) {
            answer.complete(Whereabouts.of(known));
          } else {
            answer.complete(Whereabouts.of(known, cluster.server(server.id()).placed()));
          }
        });
    return answer;
  }

  private void answer(
      int epochs, List<Complaint> complaints, CompletableFuture<ShufflePlacement> answer) {
    try {
      if (gone) {
        throw new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "gone, says the test");
      }
      if (placement.epochs() < epochs) {
        next(complaints);
      }
      answer.complete(placement);
    } catch (SluiceException refused) {
      answer.completeExceptionally(refused);
    }
  }

  private void next(List<Complaint> complaints) {
    List<LiveServer> live =
        cluster.servers.stream()
            .filter(server -> server.up && !server.silent && !refuses)
            .filter(server -> !away.contains(server.placed()))
            .filter(server -> server.frozenUntil <= cluster.loop.now())
            .map(server -> new LiveServer(server.placed(), 1))
            .toList();
    placement = EpochMint.next(placement, complaints, away, live);
  }
}

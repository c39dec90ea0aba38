package io.sluice.simulation.cluster;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.EpochMint;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The engine's driver, as far as it makes epochs: keeps the placements of its shuffles, asks the
 * coordinator who lives, and goes by what it knew last while nobody leads.
 */
public final class SimDriver implements PlacementSource {
  private final World world;
  private final SimQuorum quorum;
  private final SimProcess process;
  private final SimLoop loop;
  private final Dice dice;
  // Over one connection: in order.
  private final ControlStream answers;
  private final ServerBook servers;
  private final Map<ShuffleKey, FixedPlacement> placements = new HashMap<>();
  private int epochs;

  /** A driver in a process of its own. */
  public SimDriver(World world, String name, SimQuorum quorum) {
    this.world = world;
    this.quorum = quorum;
    this.process = world.process(name);
    this.loop = process.loop("scheduler");
    this.dice = world.forkDice();
    this.answers = new ControlStream(loop, dice, quorum.maxDelayNanos());
    this.servers = new ServerBook(process.clock());
  }

  public SimProcess process() {
    return process;
  }

  /** The thread of the engine's scheduler. */
  public SimLoop loop() {
    return loop;
  }

  public void add(FixedPlacement placement) {
    placements.put(placement.shuffle(), placement);
  }

  /** The newest placement of a shuffle. */
  public FixedPlacement newest(ShuffleKey shuffle) {
    return Objects.requireNonNull(placements.get(shuffle));
  }

  /** Epochs made so far. */
  public int epochs() {
    return epochs;
  }

  @Override
  public CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey shuffle, int wanted, List<Complaint> complaints) {
    CompletableFuture<ShufflePlacement> answer = new CompletableFuture<>();
    afterNews(() -> answer(shuffle, wanted, complaints, answer));
    return answer;
  }

  @Override
  public boolean hearsOfServers() {
    return true;
  }

  @Override
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    CompletableFuture<Whereabouts> answer = new CompletableFuture<>();
    afterNews(
        () -> {
          Whereabouts now = servers.whereabouts(server);
          answers.send(() -> answer.complete(now));
        });
    return answer;
  }

  /** Asks the leader for all servers first. */
  private void afterNews(Runnable step) {
    after(
        () -> {
          CompletionStage<List<ServerView>> asked =
              quorum.call(loop, leader -> CompletableFuture.completedFuture(leader.servers()));
          asked.whenComplete(
              (views, away) -> {
                if (away == null) {
                  servers.snapshot(views.stream().map(SimDriver::status).toList());
                } else {
                  servers.unheard();
                }
                step.run();
              });
        });
  }

  private void answer(
      ShuffleKey shuffle,
      int wanted,
      List<Complaint> complaints,
      CompletableFuture<ShufflePlacement> answer) {
    try {
      FixedPlacement known = newest(shuffle);
      if (known.epochs() < wanted) {
        known = next(known, complaints);
      }
      if (known.epochs() < wanted) {
        throw new SluiceException(ErrorCode.NO_SERVERS, "nothing to change");
      }
      FixedPlacement newest = known;
      answers.send(() -> answer.complete(newest));
    } catch (SluiceException refused) {
      answers.send(() -> answer.completeExceptionally(refused));
    }
  }

  private FixedPlacement next(FixedPlacement known, List<Complaint> complaints) {
    FixedPlacement next = EpochMint.next(known, complaints, servers);
    if (next != known) {
      epochs++;
      placements.put(next.shuffle(), next);
    }
    return next;
  }

  /** What the engine's own network takes. */
  private void after(Runnable step) {
    world
        .events()
        .after(
            dice.skewed(1, quorum.maxDelayNanos()),
            loop,
            "is asked",
            () -> loop.process().run(step));
  }

  private static ServerStatus status(ServerView view) {
    return new ServerStatus(
        new PlacedServer(
            view.address().id(),
            view.address().incarnation(),
            view.address().host(),
            view.address().port()),
        ServerStatus.State.valueOf(view.state().name()),
        view.address().intactSince(),
        view.lostIncarnation(),
        FreeCapacity.of(view.load()));
  }
}

package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.OwnServers;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.LiveServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.Servers;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A driver that is told of some servers only, over leaders that follow each other: a server that a
 * placement names and that is lost is lost in the driver's book, once it is quiet. What is between
 * the two comes late, in any order that streams and calls leave open.
 */
class DriversHearOfLossesTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 1);
  private static final int SERVERS = 300;
  private static final int STEPS = 2_000;

  static LongStream seeds() {
    return LongStream.range(0, 8);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whatIsLostIsLostInTheBook(long seed) {
    new World(new Random(seed)).run();
  }

  /** What a leader has said or answered and the driver has not taken yet. */
  private record Message(int stream, long term, boolean snapshot, List<ServerView> servers) {}

  private static final class World {
    private final Random random;
    private final ManualScheduler scheduler = new ManualScheduler();
    // The truth: what the cluster makes of servers, whoever leads.
    private final Map<ServerId, ServerView> servers = new LinkedHashMap<>();
    private final Map<ServerId, Long> lives = new HashMap<>();
    private final List<Leader> leaders = new ArrayList<>();
    private final Driver driver = new Driver();
    private int shuffles;

    World(Random random) {
      this.random = random;
    }

    void run() {
      for (int i = 1; i <= SERVERS; i++) {
        set(ServerPictures.view(i, 1, ServerState.ACTIVE));
      }
      leaders.add(new Leader(1));
      driver.open();
      for (int step = 0; step < STEPS; step++) {
        step();
        if (step % 50 == 49) {
          untilQuiet();
          check("after step " + step);
          for (int i = 0; i < 20; i++) {
            lose();
          }
          untilQuiet();
          check("lost after step " + step);
        }
      }
    }

    private void step() {
      switch (random.nextInt(18)) {
        case 0, 1 -> place(leader());
        // A leader that was replaced may have answered a call before.
        case 2 -> place(leaders.get(Math.max(0, leaders.size() - 1 - random.nextInt(2))));
        case 3, 4 -> driver.mintReads();
        case 5 -> driver.mintPublishes();
        case 6 -> driver.removeOne();
        case 7, 8 -> lose();
        case 9 -> comeBack();
        case 10 -> forgetOne();
        case 11 -> {
          if (random.nextInt(3) == 0) {
            failover();
          }
        }
        case 12 -> driver.isReady = !driver.isReady;
        case 13 -> driver.noteOne();
        case 16 -> driver.open(); // The stream broke.
        case 17 -> driver.removeOne();
        case 14 -> advance(random.nextInt(600));
        default -> driver.take();
      }
    }

    private void untilQuiet() {
      driver.isReady = true;
      for (int i = 0; i < 20; i++) {
        driver.noteAll();
        driver.mintPublishes();
        leader().readyAll();
        advance(600);
        driver.takeAll();
      }
      assertThat(driver.pending).isEmpty();
    }

    private void check(String when) {
      for (PlacedServer placed : driver.placed()) {
        ServerView view = servers.get(placed.id());
        boolean lost =
            view == null
                || view.state() == ServerState.LOST
                || view.lostIncarnation() >= placed.incarnation();
        if (lost) {
          assertThat(driver.book.isLost(placed)).as("%s lost, %s", placed, when).isTrue();
        }
      }
    }

    private Leader leader() {
      return leaders.get(leaders.size() - 1);
    }

    private void advance(long millis) {
      scheduler.advance(millis, TimeUnit.MILLISECONDS);
    }

    private void failover() {
      driver.pending.clear(); // With the connection.
      leaders.add(new Leader(leader().term + 1));
      driver.open();
    }

    private void set(ServerView view) {
      servers.put(view.address().id(), view);
      lives.put(view.address().id(), view.address().incarnation());
      if (!leaders.isEmpty()) {
        leader().watches.changed(view);
      }
    }

    /** Mostly one that the driver has. */
    private @Nullable ServerView any(ServerState state) {
      List<ServerView> all =
          servers.values().stream().filter(view -> view.state() == state).toList();
      List<PlacedServer> used = List.copyOf(driver.placed());
      if (!used.isEmpty() && random.nextInt(4) != 0) {
        ServerView one = servers.get(used.get(random.nextInt(used.size())).id());
        return one != null && one.state() == state ? one : null;
      }
      return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private void lose() {
      ServerView one = any(ServerState.ACTIVE);
      if (one != null) {
        long number = one.address().id().low();
        set(ServerPictures.view(number, one.address().incarnation(), ServerState.LOST));
      }
    }

    private void comeBack() {
      long number = random.nextInt(SERVERS) + 1L;
      ServerView known = servers.get(Servers.id(number));
      if (known == null || known.state() == ServerState.LOST) {
        long life = lives.getOrDefault(Servers.id(number), 0L) + 1;
        set(ServerPictures.view(number, life, ServerState.ACTIVE));
      }
    }

    private void forgetOne() {
      ServerView one = any(ServerState.LOST);
      if (one != null) {
        servers.remove(one.address().id());
        leader().watches.forgotten(one.address().id());
      }
    }

    private void place(Leader by) {
      List<ServerView> good =
          servers.values().stream().filter(one -> one.state() == ServerState.ACTIVE).toList();
      if (good.size() < 3) {
        return;
      }
      List<ServerAddress> on = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        ServerAddress one = good.get(random.nextInt(good.size())).address();
        if (!on.contains(one)) {
          on.add(one);
        }
      }
      ShuffleKey shuffle = new ShuffleKey(APPLICATION, shuffles++, 0);
      Placement placement = new Placement(on, on.size(), new int[] {0, 1, 2});
      by.placements.put(shuffle, placement);
      by.watches.placed(APPLICATION, on);
      driver.answered(shuffle, on, by.term);
    }

    private final class Leader {
      private final long term;
      private final Map<ShuffleKey, Placement> placements = new LinkedHashMap<>();
      private final Watches watches;
      private final List<Watch> begun = new ArrayList<>();

      Leader(long term) {
        this.term = term;
        KnownServers known =
            new KnownServers(scheduler, List.copyOf(servers.values()), servers::get);
        this.watches = new Watches(scheduler, known, new NoWishes());
      }

      void readyAll() {
        begun.forEach(Watch::ready);
      }

      private final class NoWishes implements Watches.Needs {
        @Override
        public PlacementWishes wishes(ApplicationId application) {
          return PlacementWishes.NONE;
        }

        @Override
        public String zone(PlacementWishes wishes) {
          return "";
        }

        @Override
        public Collection<Placement> placements(ApplicationId application) {
          return placements.values();
        }
      }
    }

    private final class Driver {
      private final OwnServers own = new OwnServers();
      private final ServerBook book = new ServerBook(scheduler);
      private final Map<ShuffleKey, List<PlacedServer>> noted = new LinkedHashMap<>();
      private final Map<ShuffleKey, List<PlacedServer>> answered = new LinkedHashMap<>();
      private final List<Message> pending = new ArrayList<>();
      private @Nullable LiveServer target;
      private @Nullable Watch watch;
      private boolean isReady = true;
      private int stream;

      List<PlacedServer> placed() {
        return noted.values().stream().flatMap(List::stream).toList();
      }

      void open() {
        if (watch != null) {
          leaders.forEach(leader -> leader.begun.remove(watch));
          leaders.forEach(leader -> leader.watches.end(watch));
        }
        stream++;
        int mine = stream;
        WatchServersRequest.Builder request = WatchServersRequest.newBuilder();
        own.begin(placed(), request);
        Leader leader = leader();
        List<ServerId> named = new ArrayList<>();
        for (Uuid id : request.getServersList()) {
          named.add(ServerId.of(id.getHigh(), id.getLow()));
        }
        watch =
            leader.watches.beginOwn(
                APPLICATION,
                new Watcher() {
                  @Override
                  public boolean isReady() {
                    return isReady;
                  }

                  @Override
                  public void send(boolean snapshot, List<ServerView> told) {
                    pending.add(new Message(mine, leader.term, snapshot, told));
                  }

                  @Override
                  public void end(SluiceException reason) {}
                },
                named);
        leader.begun.add(watch);
      }

      void take() {
        if (pending.isEmpty()) {
          return;
        }
        Message message = pending.remove(0);
        if (message.stream != stream) {
          return;
        }
        List<ServerStatus> told = message.servers.stream().map(ServerPictures::status).toList();
        if (own.heard(message.term, told)) {
          open();
        } else if (message.snapshot) {
          book.some(own.whole(told));
        } else {
          told.forEach(book::changed);
        }
      }

      void takeAll() {
        while (!pending.isEmpty()) {
          take();
        }
      }

      void answered(ShuffleKey shuffle, List<ServerAddress> on, long term) {
        List<PlacedServer> placed = on.stream().map(ServerPictures::placed).toList();
        answered.put(shuffle, placed);
        if (own.placed(shuffle, placed, random.nextInt(8) == 0 ? 0 : term)) {
          open();
        }
      }

      void noteOne() {
        if (!answered.isEmpty()) {
          ShuffleKey shuffle = answered.keySet().iterator().next();
          noted.put(shuffle, new ArrayList<>(answered.remove(shuffle)));
        }
      }

      void noteAll() {
        while (!answered.isEmpty()) {
          noteOne();
        }
      }

      /** Chooses from the book, as an epoch does, and takes its time. */
      void mintReads() {
        List<LiveServer> live = book.live(List.of());
        if (target == null && !live.isEmpty()) {
          target = live.get(random.nextInt(live.size()));
        }
      }

      void mintPublishes() {
        LiveServer to = target;
        target = null;
        if (to == null || noted.isEmpty()) {
          return;
        }
        List<ShuffleKey> keys = List.copyOf(noted.keySet());
        ShuffleKey shuffle = keys.get(random.nextInt(keys.size()));
        boolean anew = own.placed(shuffle, List.of(to.server()), 0);
        noted.computeIfPresent(
            shuffle,
            (key, before) -> {
              List<PlacedServer> after = new ArrayList<>(before);
              after.add(to.server());
              return after;
            });
        if (anew) {
          open();
        }
      }

      void removeOne() {
        if (noted.size() > 5) {
          ShuffleKey shuffle = noted.keySet().iterator().next();
          noted.remove(shuffle);
          own.removed(shuffle);
          leaders.forEach(leader -> leader.placements.remove(shuffle));
        }
      }
    }
  }
}

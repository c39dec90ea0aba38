package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Several tasks, one history. */
class SharedPlacementsTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 0, 0);
  private static final Duration LEASE = Duration.ofHours(24);

  private final HeapLog log = new HeapLog();
  private final FakeCoordinators coordinators = new FakeCoordinators();
  private long now = 1_000_000;

  private final Clock clock =
      new Clock() {
        @Override
        public long nanoTime() {
          return now * 1_000_000;
        }

        @Override
        public long wallTimeMillis() {
          return now;
        }
      };

  private SharedPlacements task() {
    return new SharedPlacements(
        new ShuffleSpec(SHUFFLE, 6, 1, LEASE), log, coordinators, Runnable::run, clock);
  }

  private static PlacedServer server(int number) {
    return new PlacedServer(ServerId.of(7, number), 1, "host-" + number, 7000);
  }

  private static ShufflePlacement get(SharedPlacements task, int epochs, Complaint... complaints) {
    CompletableFuture<ShufflePlacement> answer =
        task.atLeast(SHUFFLE, epochs, List.of(complaints)).toCompletableFuture();
    assertThat(answer).isDone();
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw (SluiceException) e.getCause();
    }
  }

  @Test
  void theFirstTaskAsksACoordinatorAndNoOtherDoes() throws IOException {
    FixedPlacement first = task().newest();
    FixedPlacement second = task().newest();

    assertThat(second.servers()).isEqualTo(first.servers());
    assertThat(coordinators.placed).isEqualTo(1);
    assertThat(coordinators.renewed).isZero();
  }

  @Test
  void theLeaseIsRenewedByATaskThatFindsAQuarterOfItOver() throws IOException {
    task().newest();
    now += LEASE.toMillis() / 4;
    task().newest();
    assertThat(coordinators.renewed).isZero();
    now++;
    task().newest();
    task().newest();

    assertThat(coordinators.renewed).isEqualTo(1);
  }

  @Test
  void theLeaseIsRenewedWhileATaskRunsForLong() throws IOException {
    TestTimer timer = new TestTimer();
    SharedPlacements task = task();
    task.newest();
    task.keepRenewing(timer);

    now += LEASE.toMillis() / 4;
    timer.runDue();
    assertThat(coordinators.renewed).as("not before a quarter is over").isZero();
    now += LEASE.toMillis() / 4;
    coordinators.away = true;
    timer.runDue();
    assertThat(coordinators.renewed).isZero();
    now += LEASE.toMillis() / 4;
    coordinators.away = false;
    timer.runDue();
    assertThat(coordinators.renewed).as("the task has neither begun nor fetched").isEqualTo(1);
    now += 1;
    task().keepRenewing(timer);
    now += LEASE.toMillis() / 4;
    timer.runDue();
    assertThat(coordinators.renewed).as("once, by two tasks").isEqualTo(2);
  }

  /** Keeps what is scheduled until it is due. */
  private final class TestTimer implements Scheduler {
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<Long> due = new ArrayList<>();

    private void runDue() {
      for (int i = tasks.size() - 1; i >= 0; i--) {
        if (due.get(i) - clock.nanoTime() <= 0) {
          due.remove(i);
          tasks.remove(i).run();
        }
      }
    }

    @Override
    public Clock clock() {
      return clock;
    }

    @Override
    public void execute(Runnable task) {
      throw new UnsupportedOperationException("nothing is due at once");
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      tasks.add(task);
      due.add(clock.nanoTime() + delayNanos);
      return () -> tasks.remove(task);
    }
  }

  @Test
  void aCoordinatorThatIsAwayDoesNotMatterToATaskThatFindsAPlacement() throws IOException {
    task().newest();
    now += LEASE.toMillis();
    coordinators.away = true;

    assertThat(task().newest().epochs()).isEqualTo(1);
  }

  @Test
  void whoeverCannotGoOnMakesTheNextEpochForAll() throws IOException {
    FixedPlacement first = task().newest();
    Complaint complaint = Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED);

    ShufflePlacement next = get(task(), 2, complaint);

    assertThat(next.epochs()).isEqualTo(2);
    assertThat(first.epochs()).isEqualTo(1);
    for (int partition = 0; partition < 6; partition++) {
      int epoch = next.epochOf(partition, 1);
      assertThat(next.servers().get(next.server(epoch, partition, 0))).isNotEqualTo(server(1));
    }
    assertThat(get(task(), 2, complaint).epochs()).as("for another task").isEqualTo(2);
    assertThat(log.versions).hasSize(2);
  }

  @Test
  void aTaskThatComesSecondGoesByWhatTheFirstHasMade() throws IOException {
    task().newest();
    FixedPlacement theirs =
        log.versions.get(0).withEpoch(List.of(server(3)), 1, new int[] {0, 0, 0, 0, 0, 0});
    log.inBetween = theirs;

    ShufflePlacement next = get(task(), 2, Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED));

    assertThat(next).isSameAs(theirs);
    assertThat(log.versions).hasSize(2);
  }

  @Test
  void saysSoIfThereIsNowhereToGo() throws IOException {
    task().newest();
    coordinators.servers = 1;
    SharedPlacements task = task();

    SluiceException failure =
        catchThrowableOfType(
            SluiceException.class,
            () -> get(task, 2, Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED)));
    assertThat(failure.code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(failure.detail()).contains("known are {ACTIVE=1}", "not reached by tasks 1");
  }

  /** A map output that ends waits for as long as they expect the server back. */
  @Test
  void whatBecomesOfAServerCoordinatorsSay() {
    Map.of(
            ServerStatus.State.RESTARTING, Prospect.RETURNS,
            ServerStatus.State.SUSPECT, Prospect.RETURNS,
            ServerStatus.State.LOST, Prospect.LOST,
            ServerStatus.State.DRAINING, Prospect.UNKNOWN,
            ServerStatus.State.ACTIVE, Prospect.UNKNOWN)
        .forEach(
            (state, prospect) -> {
              coordinators.first = state;
              assertThat(whereabouts(task()).prospect()).as(state.name()).isEqualTo(prospect);
            });
    coordinators.first = ServerStatus.State.RESTARTING;
    coordinators.away = true;
    assertThat(whereabouts(task())).as("if nobody says").isEqualTo(Whereabouts.UNKNOWN);
  }

  @Test
  void anEpochThatNobodyAskedForIsNotMade() throws IOException {
    task().newest();
    SharedPlacements task = task();

    SluiceException failure = catchThrowableOfType(SluiceException.class, () -> get(task, 2));
    assertThat(failure.code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(log.versions).hasSize(1);
  }

  @Test
  void whereAServerIsNowIsForCoordinatorsToSay() {
    PlacedServer now = new PlacedServer(ServerId.of(7, 1), 2, "elsewhere", 7001);
    coordinators.news = new ServerStatus(now, ServerStatus.State.RESTARTING, 1, 0, 1);
    assertThat(whereabouts(task()).now()).contains(now);
    assertThat(whereabouts(task()).prospect()).isEqualTo(Prospect.RETURNS);

    coordinators.news = new ServerStatus(now, ServerStatus.State.LOST, 2, 1, 1);
    assertThat(whereabouts(task()).prospect()).isEqualTo(Prospect.LOST);

    coordinators.away = true;
    assertThat(whereabouts(task())).isEqualTo(Whereabouts.UNKNOWN);
  }

  @Test
  void whatNobodyAnsweredIsNotAskedAgainForEachServerThatIsMissed() {
    coordinators.away = true;
    SharedPlacements task = task();
    assertThat(whereabouts(task)).isEqualTo(Whereabouts.UNKNOWN);
    int asked = coordinators.asked;
    coordinators.away = false;
    coordinators.first = ServerStatus.State.LOST;
    assertThat(whereabouts(task)).isEqualTo(Whereabouts.UNKNOWN);
    assertThat(coordinators.asked).isEqualTo(asked);
    now += 30_000;
    assertThat(whereabouts(task).prospect()).isEqualTo(Prospect.LOST);
  }

  @Test
  void withReplicasNoCoordinatorIsAskedAboutTheOneServerThatIsMissed() {
    SharedPlacements task = taskWithReplicas();
    assertThat(whereabouts(task)).isEqualTo(Whereabouts.UNKNOWN);
    assertThat(whereabouts(task)).as("the same again").isEqualTo(Whereabouts.UNKNOWN);
    assertThat(coordinators.asked).isZero();
  }

  /** All members of a set may have restarted at other addresses, with everything they had. */
  @Test
  void withReplicasCoordinatorsSayWhereServersAreOfWhichAWholeSetIsMissed() {
    PlacedServer now = new PlacedServer(ServerId.of(7, 1), 2, "elsewhere", 7001);
    coordinators.news = new ServerStatus(now, ServerStatus.State.ACTIVE, 1, 0, 1);
    SharedPlacements task = taskWithReplicas();
    assertThat(whereabouts(task, 2)).isEqualTo(Whereabouts.UNKNOWN);
    assertThat(whereabouts(task, 1).now()).contains(now);
    assertThat(whereabouts(task, 2)).as("the first one too").isNotEqualTo(Whereabouts.UNKNOWN);
  }

  @Test
  void withReplicasServersThatAreMissedOneAfterTheOtherAreNotAskedAbout() {
    SharedPlacements task = taskWithReplicas();
    for (int number = 1; number < 4; number++) {
      assertThat(whereabouts(task, number)).isEqualTo(Whereabouts.UNKNOWN);
      now += 60_000;
    }
    assertThat(coordinators.asked).isZero();
  }

  private SharedPlacements taskWithReplicas() {
    return new SharedPlacements(
        new ShuffleSpec(SHUFFLE, 6, 2, LEASE), log, coordinators, Runnable::run, clock);
  }

  private static Whereabouts whereabouts(SharedPlacements task) {
    return whereabouts(task, 1);
  }

  private static Whereabouts whereabouts(SharedPlacements task, int number) {
    return task.whereabouts(server(number)).toCompletableFuture().join();
  }

  private final class HeapLog implements PlacementLog {
    private final List<FixedPlacement> versions = new ArrayList<>();
    private @Nullable FixedPlacement inBetween;
    private long renewed;

    @Override
    public @Nullable Version newest() {
      int last = versions.size() - 1;
      return last < 0 ? null : new Version(last, versions.get(last), renewed);
    }

    @Override
    public void begin() {}

    @Override
    public boolean append(int number, FixedPlacement placement) {
      FixedPlacement theirs = inBetween;
      if (theirs != null) {
        inBetween = null;
        versions.add(theirs);
      }
      if (number != versions.size()) {
        return false;
      }
      versions.add(placement);
      renewed = now;
      return true;
    }

    @Override
    public void renewed(Version newest, long nowMillis) {
      renewed = nowMillis;
    }
  }

  private final class FakeCoordinators implements Coordinators {
    private int placed;
    private int renewed;
    private int asked;
    private int servers = 3;
    private boolean away;
    private @Nullable ServerStatus news;
    private ServerStatus.State first = ServerStatus.State.ACTIVE;

    private void check() {
      asked++;
      if (away) {
        throw new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "away");
      }
    }

    @Override
    public void renew() {
      check();
      renewed++;
    }

    @Override
    public FixedPlacement place(ShuffleKey shuffle, int partitions, int replicas) {
      check();
      placed++;
      int[] assignment = new int[partitions];
      for (int partition = 0; partition < partitions; partition++) {
        assignment[partition] = partition % 2;
      }
      return FixedPlacement.of(
          shuffle, partitions, List.of(server(1), server(2)), replicas, assignment);
    }

    @Override
    public ServerBook servers() {
      check();
      ServerBook book = new ServerBook(clock);
      List<ServerStatus> all = new ArrayList<>();
      for (int number = 1; number <= servers; number++) {
        ServerStatus.State state = number == 1 ? first : ServerStatus.State.ACTIVE;
        all.add(new ServerStatus(server(number), state, 1, 0, 1));
      }
      book.snapshot(all);
      if (news != null) {
        book.changed(news);
      }
      return book;
    }

    @Override
    public ServerFate fate(PlacedServer server) {
      throw new UnsupportedOperationException("readers ask this");
    }

    @Override
    public void end() {}

    @Override
    public Optional<SluiceException> endedBecause() {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }
}

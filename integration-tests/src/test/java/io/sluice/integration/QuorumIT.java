package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.integration.QuorumSession.Outage;
import io.sluice.integration.QuorumSession.Recovery;
import io.sluice.integration.quorum.Asker;
import io.sluice.integration.quorum.CoordinatorProcess;
import io.sluice.integration.quorum.Until;
import io.sluice.integration.quorum.ZooKeeperProcesses;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three coordinators and three ZooKeepers, real processes, and what befalls them under one Spark
 * job that runs from the first test to the last: it never notices, and whoever comes meanwhile
 * begins soon after another can lead. The short form differs from the long one in two figures: how
 * soon that is on a machine that others keep busy, and how long nobody is there.
 */
@MostlyWaits
@ExtendWith(OwnShuffle.Extension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class QuorumIT {
  private static final boolean FULL = Boolean.getBoolean("sluice.faults.full");
  private static final Duration BEGINS_WITHIN = Duration.ofSeconds(FULL ? 5 : 30);

  /** Placements asked of a leader that is not one any more. */
  private static final int QUESTIONS = 20;

  /** No coordinator is there for so long at least, and until the job that runs has ended. */
  private static final Duration AWAY = Duration.ofSeconds(FULL ? 60 : 15);

  private static final Duration JOB_ENDS_WITHIN = Duration.ofSeconds(60);

  /** How long the job after that is seen to wait, if the one before took all the time. */
  private static final Duration WAITS = Duration.ofSeconds(5);

  private static @Nullable QuorumSession shared;
  private static @Nullable Future<Fingerprint> job;

  @RegisterExtension
  final KeepOnFailure keep = new KeepOnFailure(() -> shared == null ? null : shared.runs());

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new QuorumSession(own);
    job = session().beginJob();
  }

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  @Order(1)
  void aLeaderThatIsKilledIsReplaced() throws Exception {
    CoordinatorProcess leader = session().leader();
    assertBegins("coordinator killed", session().strike(true, killing(leader)));
  }

  @Test
  @Order(2)
  void theLeaderOfZooKeeperMayBeKilled() throws Exception {
    ZooKeeperProcesses zooKeeper = session().cluster().zooKeeper();
    assertBegins(
        "ZooKeeper's leader killed",
        session().strike(false, outage(zooKeeper::killLeader, zooKeeper::startAgain)));
  }

  @Test
  @Order(3)
  void aLeaderThatIsCutOffFromZooKeeperPlacesNothingAnyMore() throws Exception {
    CoordinatorProcess leader = session().leader();
    long term = session().asLedNow().getTerm();
    List<Future<Asker.Answer>> asked = new ArrayList<>();
    try (TestShuffle known = new TestShuffle(session().cluster().addresses());
        Asker asker = new Asker(leader.address(), known.application(), 1_000)) {
      assertThat(asker.ask().get(30, TimeUnit.SECONDS).term()).isEqualTo(term);
      Recovery recovery =
          session()
              .strike(
                  true,
                  outage(
                      () -> {
                        leader.cutFromZooKeeper();
                        ask(asker, asked);
                      },
                      () -> {
                        // Still cut off, and asked again.
                        ask(asker, asked);
                        assertRefused(asked);
                        leader.mendLinks();
                      }));

      assertBegins("coordinator cut off from ZooKeeper", recovery);
      assertThat(recovery.term()).isGreaterThan(term);
      for (Future<Asker.Answer> answer : asked.subList(0, QUESTIONS)) {
        assertThat(answer.get().answeredNanos())
            .as("it refuses before its successor places")
            .isLessThan(recovery.placedNanos());
      }
    }
  }

  @Test
  @Order(4)
  void bothLeadersMayBeKilledAtOnce() throws Exception {
    CoordinatorProcess leader = session().leader();
    ZooKeeperProcesses zooKeeper = session().cluster().zooKeeper();
    Outage coordinator = killing(leader);
    assertBegins(
        "both killed",
        session()
            .strike(
                true,
                outage(
                    () -> {
                      coordinator.begin();
                      zooKeeper.killLeader();
                    },
                    () -> {
                      zooKeeper.startAgain();
                      coordinator.end();
                    })));
  }

  /** It takes itself for the leader when it thaws, and finds the questions before the news. */
  @Test
  @Order(5)
  void aLeaderThatWasFrozenWhileAnotherTookOverPlacesNothing() throws Exception {
    session().awaitWhole();
    CoordinatorProcess leader = session().leader();
    long term = session().asLedNow().getTerm();
    List<Future<Asker.Answer>> asked = new ArrayList<>();
    try (TestShuffle known = new TestShuffle(session().cluster().addresses());
        Asker asker = new Asker(leader.address(), known.application(), 1_000)) {
      assertThat(asker.ask().get(30, TimeUnit.SECONDS).term()).isEqualTo(term);
      leader.freeze();
      try {
        ask(asker, asked);
        Until.holds("another leads", () -> session().asLedNow().getTerm() > term);
      } finally {
        leader.thaw();
      }
      assertRefused(asked);
    }
  }

  @Test
  @Order(6)
  void aJobFinishesWithoutAnyCoordinatorAndAllIsKnownAgainAfterwards() throws Exception {
    session().awaitWhole();
    session().goOnToReducers();
    try (TestShuffle kept = new TestShuffle(session().cluster().addresses())) {
      ShufflePlacement placement = kept.place();
      try (MapOutput output = kept.output(placement)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      GetClusterResponse before = session().asLedNow();

      for (CoordinatorProcess coordinator : session().cluster().coordinators()) {
        coordinator.kill();
      }
      long since = Until.now();
      session().goOnToTheEnd();
      assertThat(runningJob().get(JOB_ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS))
          .as("the job that ran")
          .isEqualTo(session().expected());
      Future<Fingerprint> next = session().submitJob();
      long rest = Math.max(WAITS.toNanos(), AWAY.toNanos() - (Until.now() - since));
      assertThatThrownBy(() -> next.get(rest, TimeUnit.NANOSECONDS))
          .as("a job that needs somebody to place its shuffle waits")
          .isInstanceOf(TimeoutException.class);
      kept.assertHas(placement, 1);
      for (CoordinatorProcess coordinator : session().cluster().coordinators()) {
        coordinator.startAgain();
      }

      session().awaitWhole();
      GetClusterResponse after = session().asLedNow();
      assertThat(after.getTerm()).isGreaterThan(before.getTerm());
      assertThat(lives(after)).isEqualTo(lives(before));
      assertThat(applications(after)).isEqualTo(applications(before));
      kept.assertHas(placement, 1);
      assertThat(next.get(Runs.DEADLINE.toSeconds(), TimeUnit.SECONDS))
          .as("the job that waited")
          .isEqualTo(session().expected());
    }
    assertThat(
            Pattern.compile("submitted attempt (\\d+) of stage")
                .matcher(session().runs().lastLog())
                .results()
                .map(found -> found.group(1)))
        .as("stages were tried once")
        .isNotEmpty()
        .allMatch("0"::equals);
  }

  // ---------------------------------------------------------------------------------- faults

  private static Outage outage(Step begin, Step end) {
    return new Outage() {
      @Override
      public void begin() throws Exception {
        begin.run();
      }

      @Override
      public void end() throws Exception {
        end.run();
      }
    };
  }

  private interface Step {
    void run() throws Exception;
  }

  private static Outage killing(CoordinatorProcess coordinator) {
    return outage(
        coordinator::kill,
        () -> {
          coordinator.startAgain();
          coordinator.awaitReady();
        });
  }

  private static void ask(Asker asker, List<Future<Asker.Answer>> asked) {
    for (int i = 0; i < QUESTIONS; i++) {
      asked.add(asker.ask());
    }
  }

  private static void assertRefused(List<Future<Asker.Answer>> asked) throws Exception {
    assertThat(asked).isNotEmpty();
    for (Future<Asker.Answer> each : asked) {
      Asker.Answer answer = each.get(40, TimeUnit.SECONDS);
      assertThat(answer.placed()).as("placed by " + answer).isFalse();
      // Codes that send a client to the next coordinator.
      assertThat(answer.refusal()).isIn(ErrorCode.NOT_LEADER, ErrorCode.COORDINATOR_UNAVAILABLE);
    }
  }

  private static void assertBegins(String fault, Recovery recovery) {
    System.out.println(
        fault
            + ": another could lead after "
            + recovery.outage().toMillis()
            + " ms, a job began "
            + recovery.began().toMillis()
            + " ms later");
    assertThat(recovery.began()).isLessThan(BEGINS_WITHIN);
  }

  private static Set<ServerAddress> lives(GetClusterResponse cluster) {
    return cluster.getServersList().stream()
        .map(ServerInfo::getAddress)
        .collect(Collectors.toSet());
  }

  private static Set<String> applications(GetClusterResponse cluster) {
    return cluster.getApplicationsList().stream()
        .map(ApplicationInfo::getEngineId)
        .collect(Collectors.toSet());
  }

  private static Future<Fingerprint> runningJob() {
    return Objects.requireNonNull(job);
  }

  private static QuorumSession session() {
    return Objects.requireNonNull(shared);
  }
}

package io.sluice.client.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.fake.FakeLoop;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Prospect;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerBookTest {
  private final FakeLoop loop = new FakeLoop();
  private final ServerBook book = new ServerBook(loop.clock());

  @Test
  void aServerWithoutTheTagsOfTheApplicationIsNone() {
    ServerStatus other = new ServerStatus(server(4), State.ACTIVE, 4, 0, 1);
    book.snapshot(List.of(other.standing(new Place("a", "1"), false)));
    assertThat(book.live(List.of())).isEmpty();
    assertThat(book.isAway(server(4))).as("what is there stays").isFalse();
    book.changed(other.standing(new Place("a", "1"), true));
    assertThat(book.live(List.of()))
        .extracting(LiveServer::place)
        .containsExactly(new Place("a", "1"));
  }

  @Test
  void saysHowTheServersFareThatTakeNothing() {
    assertThat(book.census()).contains("no coordinator was heard");
    ServerStatus[] all = new ServerStatus[7];
    for (int i = 0; i < all.length; i++) {
      State state = i < 4 ? State.ACTIVE : i < 6 ? State.DRAINING : State.SUSPECT;
      PlacedServer server = new PlacedServer(ServerId.of(7, i), 1, "server-" + i, 1);
      all[i] = new ServerStatus(server, state, 1, 0, 1).standing(Place.UNKNOWN, i != 0);
    }
    book.snapshot(List.of(all));
    book.report(Complaint.ofServer(all[1].server(), ErrorCode.NO_MEMORY));
    book.report(Complaint.ofServer(all[2].server(), ErrorCode.CONNECT_FAILED));
    book.report(Complaint.ofServer(all[4].server(), ErrorCode.CONNECT_FAILED));
    assertThat(book.census())
        .isEqualTo(
            "known are {ACTIVE=4, SUSPECT=1, DRAINING=2}, of the active ones without room 1, not"
                + " reached by tasks 1, not for this application (tags, transport) 1");

    loop.runFor(Duration.ofSeconds(31).toNanos());
    book.unheard();
    assertThat(book.census())
        .contains("without room 0", "not reached by tasks 0")
        .endsWith("; no coordinator is heard now");
  }

  @Test
  void knowsNothingBeforeItHasHeard() {
    assertThat(book.isLost(server(1))).isFalse();
    assertThat(book.isAway(server(1))).isFalse();
    assertThat(book.live(List.of(server(1)))).hasSize(1);
  }

  @Test
  void countsAbsentServersAndEarlierLivesAsLost() {
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.isLost(server(2))).as("an earlier life").isTrue();
    assertThat(book.isLost(server(3))).isFalse();
    assertThat(book.isLost(new PlacedServer(ServerId.of(9, 9), 1, "other", 1))).isTrue();
  }

  /** Who reports that it met one is not to wait for news that nobody has. */
  @Test
  void knowsLivesThatCoordinatorsToldOfOrHaveForgotten() {
    PlacedServer forgotten = new PlacedServer(ServerId.of(9, 9), 1, "other", 1);
    assertThat(book.knows(forgotten)).as("nobody was heard").isFalse();
    book.some(List.of(active(3, 0)));
    assertThat(book.knows(forgotten)).as("not told of all").isFalse();

    book.snapshot(List.of(active(3, 0)));
    assertThat(book.knows(forgotten)).isTrue();
    assertThat(book.knows(server(2))).as("an earlier life").isTrue();
    assertThat(book.knows(server(3))).isTrue();
    assertThat(book.knows(server(4))).as("a later life").isFalse();
  }

  @Test
  void saysNothingOfServersThatItIsNotToldOf() {
    PlacedServer other = new PlacedServer(ServerId.of(9, 9), 1, "other", 1);
    book.some(List.of(active(3, 0)));
    assertThat(book.isLost(other)).isFalse();
    assertThat(book.isAway(other)).isFalse();
    assertThat(book.isLost(server(2))).as("an earlier life").isTrue();
    assertThat(book.live(List.of(other))).extracting(LiveServer::server).containsExactly(server(3));

    book.some(List.of(new ServerStatus(other, State.LOST, 1, 1, 0)));
    assertThat(book.isLost(other)).isTrue();
    assertThat(book.live(List.of())).as("who is not told of any more").isEmpty();
    book.snapshot(List.of());
    assertThat(book.isLost(server(3))).as("of all servers").isTrue();
  }

  @Test
  void countsAServerThatIsOnlySuspectAsAwayButNotAsLost() {
    book.snapshot(List.of(new ServerStatus(server(3), State.SUSPECT, 3, 0, 1)));
    assertThat(book.isAway(server(3))).isTrue();
    assertThat(book.isLost(server(3))).isFalse();
    assertThat(book.isSilent(server(3))).isTrue();
    assertThat(book.isSilent(server(2))).as("an earlier life, which is lost").isFalse();
    assertThat(book.live(List.of())).isEmpty();
    book.changed(active(3, 0));
    assertThat(book.isAway(server(3))).isFalse();
    assertThat(book.isSilent(server(3))).isFalse();
    assertThat(book.live(List.of())).hasSize(1);
  }

  @Test
  void expectsBackWhoIsSilentForAsLongAsACoordinatorIsHeard() {
    assertThat(prospect(server(3))).as("nothing was heard").isEqualTo(Prospect.UNKNOWN);
    ServerStatus restarting = new ServerStatus(server(3), State.RESTARTING, 2, 0, 1);
    book.some(List.of(restarting));
    assertThat(prospect(server(3))).isEqualTo(Prospect.RETURNS);
    assertThat(prospect(server(2))).as("it has what that had").isEqualTo(Prospect.RETURNS);
    assertThat(prospect(server(1))).as("it has its disks").isEqualTo(Prospect.UNKNOWN);
    PlacedServer other = new PlacedServer(ServerId.of(9, 9), 1, "other", 1);
    assertThat(prospect(other)).as("not told of").isEqualTo(Prospect.UNKNOWN);

    book.unheard();
    assertThat(prospect(server(3))).as("no coordinator").isEqualTo(Prospect.UNKNOWN);
    book.snapshot(List.of(restarting));
    assertThat(prospect(server(3))).isEqualTo(Prospect.RETURNS);
    assertThat(prospect(other)).as("not there").isEqualTo(Prospect.LOST);

    book.changed(new ServerStatus(server(3), State.SUSPECT, 2, 0, 1));
    assertThat(prospect(server(3))).isEqualTo(Prospect.RETURNS);
    book.changed(active(3, 0));
    assertThat(prospect(server(3))).isEqualTo(Prospect.UNKNOWN);
    book.changed(new ServerStatus(server(3), State.DRAINING, 3, 0, 1));
    assertThat(prospect(server(3))).as("it is there").isEqualTo(Prospect.UNKNOWN);
    book.changed(new ServerStatus(server(3), State.LOST, 3, 3, 1));
    assertThat(prospect(server(3))).isEqualTo(Prospect.LOST);
  }

  /** Coordinators hear it: if a task does not, that is as with any other that is there. */
  @Test
  void aServerWhoseDisksTakeNothingGetsNothingAndIsNotWaitedFor() {
    book.snapshot(List.of(new ServerStatus(server(3), State.UNHEALTHY, 3, 0, 1)));
    assertThat(book.isAway(server(3))).isTrue();
    assertThat(book.live(List.of())).isEmpty();
    assertThat(book.isLost(server(3))).isFalse();
    assertThat(prospect(server(3))).isEqualTo(Prospect.UNKNOWN);
  }

  @Test
  void saysWhereAServerIsNow() {
    PlacedServer now = new PlacedServer(ServerId.of(9, 1), 4, "elsewhere", 7001, 7002);
    assertThat(book.whereabouts(server(3)).now()).as("nothing was heard").isEmpty();
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.whereabouts(server(3)).now()).contains(server(3));

    book.changed(new ServerStatus(now, State.ACTIVE, 2, 0, 1));
    assertThat(book.whereabouts(server(3)).now()).contains(now);
    assertThat(book.whereabouts(server(2)).now()).contains(now);
    assertThat(book.whereabouts(server(1)).now()).as("with what had reached disks").contains(now);
    assertThat(book.later(server(1))).contains(now);
    assertThat(book.later(server(2))).as("nothing of it is lost").isEmpty();
    book.unheard();
    assertThat(book.whereabouts(server(3)).now()).as("as it was last heard").contains(now);

    book.changed(new ServerStatus(now, State.LOST, 4, 4, 1));
    assertThat(book.whereabouts(now).now()).isEmpty();
    assertThat(book.later(server(1))).as("given up").isEmpty();
  }

  @Test
  void countsALifeAsLostWhenItWasDeclaredSo() {
    book.snapshot(List.of(new ServerStatus(server(3), State.LOST, 3, 3, 1)));
    assertThat(book.isLost(server(3))).isTrue();
  }

  @Test
  void leavesUnreachableServersAloneForAWhileAndFullOnesForAMoment() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofServer(server(3), ErrorCode.NO_MEMORY));
    assertThat(book.live(List.of())).isEmpty();
    loop.runFor(Duration.ofSeconds(6).toNanos());
    assertThat(book.live(List.of())).hasSize(1);

    book.report(Complaint.ofServer(server(3), ErrorCode.CONNECT_FAILED));
    loop.runFor(Duration.ofSeconds(29).toNanos());
    assertThat(book.live(List.of())).isEmpty();
    assertThat(book.isAway(server(3))).isTrue();
    loop.runFor(Duration.ofSeconds(2).toNanos());
    assertThat(book.live(List.of())).hasSize(1);
  }

  @Test
  void takesAServerAgainThatCoordinatorsHearAgain() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofServer(server(3), ErrorCode.TIMED_OUT));
    book.changed(active(3, 0));
    assertThat(book.live(List.of())).as("they had heard it all the time").isEmpty();
    book.changed(new ServerStatus(server(3), State.SUSPECT, 3, 0, 1));
    book.changed(active(3, 0));
    assertThat(book.live(List.of())).hasSize(1);
  }

  /** What a stream begins with tells of what happened while none was heard. */
  @Test
  void takesAServerAgainThatASnapshotHasAsHeardAgain() {
    ServerStatus suspect = new ServerStatus(server(3), State.SUSPECT, 3, 0, 1);
    book.snapshot(List.of(suspect));
    book.report(Complaint.ofServer(server(3), ErrorCode.TIMED_OUT));
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.live(List.of())).hasSize(1);

    book.report(Complaint.ofServer(server(3), ErrorCode.TIMED_OUT));
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.live(List.of())).as("they had heard it all the time").isEmpty();

    book.some(List.of(suspect));
    book.some(List.of(active(3, 0)));
    assertThat(book.live(List.of())).hasSize(1);
  }

  @Test
  void saysWhenServersMayReturnThatTasksDidNotReach() {
    List<Long> told = new ArrayList<>();
    book.tellReturns(nanos -> told.add(Duration.ofNanos(nanos).toSeconds()));
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.nextReturn()).isZero();
    book.report(Complaint.ofServer(server(3), ErrorCode.NO_MEMORY));
    assertThat(book.nextReturn()).as("pressure is no matter of time").isZero();
    book.report(Complaint.ofServer(server(3), ErrorCode.CONNECT_FAILED));
    assertThat(told).containsExactly(30L);
    loop.runFor(Duration.ofSeconds(10).toNanos());
    assertThat(book.nextReturn()).isEqualTo(Duration.ofSeconds(20).toNanos());
    loop.runFor(Duration.ofSeconds(20).toNanos());
    assertThat(book.nextReturn()).isZero();
    assertThat(book.live(List.of())).hasSize(1);
  }

  @Test
  void isCrowdedForAMomentAndOnlyIfNothingElseIsWrong() {
    book.snapshot(List.of(active(3, 0)));
    assertThat(book.isCrowded(server(3))).isFalse();
    book.report(Complaint.ofServer(server(3), ErrorCode.NO_MEMORY));
    assertThat(book.isCrowded(server(3))).isTrue();
    book.changed(new ServerStatus(server(3), State.SUSPECT, 3, 0, 1));
    assertThat(book.isCrowded(server(3))).isFalse();

    book.snapshot(List.of(active(3, 0)));
    loop.runFor(Duration.ofSeconds(6).toNanos());
    assertThat(book.isCrowded(server(3))).isFalse();
    book.report(Complaint.ofServer(server(3), ErrorCode.CONNECT_FAILED));
    assertThat(book.isCrowded(server(3))).isFalse();
  }

  /** For whoever has waited for it; others have not. */
  @Test
  void isCrowdedAsWellAfterItHasHadNoRoomForLong() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofServerForLong(server(3), ErrorCode.NO_MEMORY));
    assertThat(book.isCrowded(server(3))).isTrue();
    assertThat(book.live(List.of())).isEmpty();
    loop.runFor(Duration.ofSeconds(29).toNanos());
    assertThat(book.isCrowded(server(3))).isTrue();
    loop.runFor(Duration.ofSeconds(2).toNanos());
    assertThat(book.isCrowded(server(3))).isFalse();
    assertThat(book.live(List.of())).hasSize(1);
  }

  @Test
  void whatCountsForAMomentDoesNotEndWhatCountsForLonger() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofServer(server(3), ErrorCode.CONNECT_FAILED));
    book.report(Complaint.ofServer(server(3), ErrorCode.NO_MEMORY));
    assertThat(book.isCrowded(server(3))).isFalse();
    loop.runFor(Duration.ofSeconds(29).toNanos());
    assertThat(book.live(List.of())).isEmpty();
    book.report(Complaint.ofServer(server(3), ErrorCode.NO_MEMORY));
    loop.runFor(Duration.ofSeconds(4).toNanos());
    assertThat(book.isCrowded(server(3))).as("what was said last ends last").isTrue();
  }

  @Test
  void whatIsSaidOfAnEarlierLifeDoesNotEndWhatIsSaidOfALaterOne() {
    book.snapshot(List.of(active(4, 3)));
    book.report(Complaint.ofServer(server(4), ErrorCode.NO_MEMORY));
    book.report(Complaint.ofServer(server(3), ErrorCode.STALE_INCARNATION));
    assertThat(book.isCrowded(server(4))).isTrue();
    assertThat(book.live(List.of())).isEmpty();
  }

  @Test
  void doesNotHoldAnEarlierLifeAgainstALaterOne() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofServer(server(3), ErrorCode.STALE_INCARNATION));
    book.changed(active(4, 3));
    assertThat(book.live(List.of())).extracting(LiveServer::server).containsExactly(server(4));
  }

  @Test
  void holdsAFullPartitionAgainstNobody() {
    book.snapshot(List.of(active(3, 0)));
    book.report(Complaint.ofPartitions(server(3), ErrorCode.PARTITION_FULL, new int[] {1}));
    assertThat(book.live(List.of())).hasSize(1);
  }

  private Prospect prospect(PlacedServer server) {
    return book.whereabouts(server).prospect();
  }

  private static ServerStatus active(long incarnation, long lost) {
    return new ServerStatus(server(incarnation), State.ACTIVE, incarnation, lost, 1);
  }

  private static PlacedServer server(long incarnation) {
    return new PlacedServer(ServerId.of(9, 1), incarnation, "host", 7000);
  }
}

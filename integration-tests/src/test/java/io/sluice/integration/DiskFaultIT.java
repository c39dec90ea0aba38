package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.integration.DiskFaultSession.Signs;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.FilePermissions;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import io.sluice.integration.fault.LoopDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The rows of the design's table of failures that strike a disk, under a Spark job: rows are exact,
 * only what was lost runs again, and nothing with replicas; the server goes on, says that the disk
 * is fenced, and uses it again when it works. After each job neither memory, leases nor files are
 * left.
 */
@MostlyWaits
@ExtendWith(OwnShuffle.Extension.class)
class DiskFaultIT {
  /** Room for 64 MiB of reserve, six units and what a job brings. */
  private static final long DISK_BYTES = 192 << 20;

  /** A unit of 4 MiB, and of the next one some. RocksDB allots less to a log or a manifest. */
  private static final long LIMIT_BYTES = 7 << 20;

  /** While maps push. */
  private static final int MIDST_OF_MAPS = 9;

  /** While the next stage reads. */
  private static final int MIDST_OF_READS = DiskFaultSession.MAPS + 7;

  private static final String EIO = "Input/output error";
  private static final String DENIED = "AccessDenied|[Pp]ermission denied";

  private static @Nullable LoopDisk made;
  private static @Nullable DiskFaultSession shared;

  @RegisterExtension
  final KeepOnFailure keep = new KeepOnFailure(() -> shared == null ? null : shared.runs());

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    List<String> heeding = List.of();
    try {
      heeding = FilePermissions.heeded();
      made = LoopDisk.make(DISK_BYTES, Files.createTempDirectory("sluice-small-disk"));
    } catch (IOException refused) {
      Assumptions.abort(
          "a file system in a file, which takes root, losetup and mkfs.ext4, or root without its"
              + " rights, which takes setpriv, cannot be had here: "
              + refused.getMessage());
    }
    shared = new DiskFaultSession(own, heeding, disk());
  }

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
    if (made != null) {
      made.remove();
    }
  }

  @Test
  void aDiskThatFillsIsPassedByAndReadOn() throws Exception {
    assertThat(again(run(1, session()::assertFull, MIDST_OF_MAPS, disk().filled()))).isEmpty();
  }

  @Test
  void whatADiskHadThatDiesWhileMapsPushIsRunAgain() throws Exception {
    List<StageAttempt> attempts = run(1, session().fenced(EIO), MIDST_OF_MAPS, disk().dead());

    // What came later went to the other disk.
    assertRunAgain("dies while maps push", attempts);
  }

  @Test
  void whatADiskHadThatDiesWhileReducersFetchIsRunAgain() throws Exception {
    assertRunAgain(
        "dies while reducers fetch", run(1, session().fenced(EIO), MIDST_OF_READS, disk().dead()));
  }

  @Test
  void aDiskThatIsUnmountedIsUsedAgainWhenItIsBack() throws Exception {
    List<StageAttempt> attempts =
        run(
            1,
            session().fenced("another directory is there now"),
            MIDST_OF_MAPS,
            disk().unmounted());

    // Segments that were open are written on; none was open for reads.
    System.out.println("a disk unmounted: " + FaultSession.mapsRunAgain(attempts) + " maps again");
  }

  @Test
  void aDiskThatBecomesReadOnlyIsPassedByAndReadOn() throws Exception {
    Assumptions.assumeTrue(disk().canBecomeReadOnly(), "/sys may not be written here");
    Fault readOnly = session().readOnlyUntilRestart();

    assertThat(again(run(1, session().fenced("Read-only file system"), MIDST_OF_MAPS, readOnly)))
        .isEmpty();
  }

  @Test
  void whatMayNotBeOpenedAnyMoreIsRunAgain() throws Exception {
    // Nothing is open for reads yet; what is open for writes is written on.
    assertRunAgain(
        "may not be read", run(1, session().fenced(DENIED), MIDST_OF_MAPS, disk().unreadable()));
  }

  /** On both disks of the server: the limit is its process's. */
  @Test
  void unitsOfWhichDisksTakeOnlyAPartAreWrittenAgain() throws Exception {
    Signs cutShort = session().fencedForAWhile("after [1-9][0-9]+ of [0-9]+ bytes");

    assertThat(again(run(1, cutShort, 1, session().filesLimitedTo(LIMIT_BYTES)))).isEmpty();
  }

  @Test
  void aDiskThatDiesCostsNothingWithReplicas() throws Exception {
    assertThat(again(run(2, session().fenced(EIO), MIDST_OF_MAPS, disk().dead()))).isEmpty();
  }

  private static void assertRunAgain(String what, List<StageAttempt> attempts) {
    int maps = FaultSession.mapsRunAgain(attempts);
    System.out.println("a disk " + what + ": " + maps + " maps run again");
    assertThat(again(attempts)).isNotEmpty();
    assertThat(maps).as("maps run again").isBetween(1, DiskFaultSession.MAPS);
  }

  private static List<StageAttempt> run(int replicas, Signs signs, int afterMaps, Fault fault)
      throws Exception {
    return session().run(replicas, signs, new Strike(afterMaps, null, fault));
  }

  private static List<StageAttempt> again(List<StageAttempt> attempts) {
    return FaultSession.again(attempts);
  }

  private static DiskFaultSession session() {
    return Objects.requireNonNull(shared);
  }

  private static LoopDisk disk() {
    return Objects.requireNonNull(made);
  }
}

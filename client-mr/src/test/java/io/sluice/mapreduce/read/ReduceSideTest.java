package io.sluice.mapreduce.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.block.BlockCompressor;
import io.sluice.mapreduce.block.BlockPacker;
import io.sluice.mapreduce.fake.HeapMapOutput;
import io.sluice.mapreduce.fake.HeapShuffle;
import io.sluice.mapreduce.fake.ReduceFixture;
import io.sluice.mapreduce.job.JobIdentity;
import io.sluice.mapreduce.job.ServerFate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reduce task over servers and a master in the heap. */
class ReduceSideTest {
  private static final long AMPLE = 64 << 20;
  private static final int RECORDS = 200;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path disk;

  private final HeapShuffle shuffle = new HeapShuffle(1);

  /** Pauses that something happens in; the test fails in the first one that nothing does. */
  private final List<Runnable> whilePausing = new ArrayList<>();

  private void pause(java.time.Duration time) {
    if (whilePausing.isEmpty()) {
      throw new AssertionError("waits for nothing for " + time);
    }
    whilePausing.remove(0).run();
  }

  private static long number(TaskAttemptID attempt) {
    return JobIdentity.attemptNumber(attempt.getTaskID(), attempt.getId());
  }

  /** Pushes an attempt's records: keys of all maps interleave. */
  private void push(TaskAttemptID attempt, int maps) throws IOException {
    int map = attempt.getTaskID().getId();
    HeapMapOutput output = new HeapMapOutput(1, map, number(attempt), 512);
    try (BlockCompressor blocks =
        new BlockCompressor(output, null, new Configuration(false), () -> {})) {
      BlockPacker packer = new BlockPacker(blocks, 512);
      packer.beginRun(0);
      DataOutputBuffer bytes = new DataOutputBuffer();
      for (int i = 0; i < RECORDS; i++) {
        bytes.reset();
        new Text(String.format(Locale.ROOT, "key-%06d", i * maps + map)).write(bytes);
        int keyLength = bytes.getLength();
        new IntWritable(i * maps + map).write(bytes);
        packer.append(
            bytes.getData(),
            0,
            keyLength,
            bytes.getData(),
            keyLength,
            bytes.getLength() - keyLength);
      }
      packer.endRun(true);
    }
    shuffle.store(output.blocks());
  }

  private static void assertWhole(RawKeyValueIterator records, int maps) throws IOException {
    Text key = new Text();
    IntWritable value = new IntWritable();
    int expected = 0;
    while (records.next()) {
      DataInputBuffer keyBytes = records.getKey();
      key.readFields(keyBytes);
      value.readFields(records.getValue());
      assertThat(key).hasToString(String.format(Locale.ROOT, "key-%06d", expected));
      assertThat(value.get()).isEqualTo(expected);
      expected++;
    }
    assertThat(expected).isEqualTo(RECORDS * maps);
  }

  private ReduceFixture fixture(int maps, long heap) {
    return new ReduceFixture(disk, maps, heap);
  }

  private RawKeyValueIterator run(ReduceFixture fixture) throws Exception {
    return new ReduceSide<>(fixture.context(null), shuffle, this::pause).run();
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.walk(disk)) {
      return files.filter(Files::isRegularFile).count();
    }
  }

  @Test
  void recordsOfAllMapsComeInOrder() throws Exception {
    ReduceFixture fixture = fixture(5, AMPLE);
    for (int map = 0; map < 5; map++) {
      push(ReduceFixture.attempt(map, 0), 5);
      fixture.master().tell(ReduceFixture.attempt(map, 0), Status.SUCCEEDED);
    }

    assertWhole(run(fixture), 5);
    assertThat(fixture.counter("shuffled")).isEqualTo(5);
    assertThat(fixture.counter("merged")).isEqualTo(5);
    assertThat(fixture.counter("failed")).isZero();
    assertThat(fixture.copied()).isEqualTo(1);
  }

  @Test
  void whatDoesNotFitInMemoryIsMergedOnDiskAndLeavesNoFileBehind() throws Exception {
    // 0.7 x 0.66 of it are 5.9 KB for 64 KB: some dozen files, three of which are merged at a time.
    ReduceFixture fixture = fixture(16, 12_800);
    for (int map = 0; map < 16; map++) {
      push(ReduceFixture.attempt(map, 0), 16);
      fixture.master().tell(ReduceFixture.attempt(map, 0), Status.SUCCEEDED);
    }

    RawKeyValueIterator records = run(fixture);
    assertThat(files()).isBetween(1L, 6L); // With a checksum file each.
    assertWhole(records, 16);
    records.close();
    assertThat(files()).isZero();
    assertThat(fixture.counter("spilled")).isGreaterThanOrEqualTo(16L * RECORDS);
  }

  @Test
  void losersAreNotRead() throws Exception {
    ReduceFixture fixture = fixture(2, AMPLE);
    push(ReduceFixture.attempt(0, 0), 2);
    push(ReduceFixture.attempt(1, 0), 2);
    push(ReduceFixture.attempt(1, 1), 2);
    fixture.master().tell(ReduceFixture.attempt(0, 0), Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 1), Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.KILLED);

    assertWhole(run(fixture), 2);
  }

  @Test
  void mapsAreReadWhileOthersStillRun() throws Exception {
    ReduceFixture fixture = fixture(2, AMPLE);
    push(ReduceFixture.attempt(1, 0), 2);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.SUCCEEDED);
    whilePausing.add(
        () -> {
          assertThat(fixture.counter("bytes")).isPositive();
          // Taken back when it has been read: of no concern.
          shuffle.lose(number(ReduceFixture.attempt(1, 0)));
          fixture.master().tell(ReduceFixture.attempt(1, 0), Status.OBSOLETE);
        });
    whilePausing.add(
        () -> {
          pushUnchecked(ReduceFixture.attempt(0, 0));
          fixture.master().tell(ReduceFixture.attempt(0, 0), Status.SUCCEEDED);
        });

    assertWhole(run(fixture), 2);
  }

  private void pushUnchecked(TaskAttemptID attempt) {
    try {
      push(attempt, 2);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLostOutputIsReportedUntilTheMapHasRunAgain() throws Exception {
    ReduceFixture fixture = fixture(2, AMPLE);
    TaskAttemptID lost = ReduceFixture.attempt(0, 0);
    push(ReduceFixture.attempt(1, 0), 2);
    fixture.master().tell(lost, Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.SUCCEEDED);
    whilePausing.add(() -> assertThat(fixture.reported()).containsExactly(lost));
    for (int second = 0; second < 6; second++) {
      whilePausing.add(() -> {});
    }
    whilePausing.add(() -> fixture.master().tell(lost, Status.FAILED));
    whilePausing.add(
        () -> {
          pushUnchecked(ReduceFixture.attempt(0, 1));
          fixture.master().tell(ReduceFixture.attempt(0, 1), Status.SUCCEEDED);
        });

    assertWhole(run(fixture), 2);
    assertThat(fixture.reported())
        .as("after 1, 2 and 4 s or so, and not each second")
        .hasSizeBetween(3, 4)
        .containsOnly(lost);
    assertThat(fixture.counter("failed")).isEqualTo(1);
    assertThat(shuffle.left()).as("servers that maps should not meet again").hasSize(1);
  }

  @Test
  void aReduceWhoseJobAnOperatorEndedSaysSoAndReportsNoMap() throws Exception {
    ReduceFixture fixture = fixture(2, AMPLE);
    push(ReduceFixture.attempt(0, 0), 2);
    fixture.master().tell(ReduceFixture.attempt(0, 0), Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.SUCCEEDED);
    shuffle.answer(ErrorCode.UNKNOWN_SHUFFLE);
    shuffle.end(new SluiceException(ErrorCode.APPLICATION_ENDED, "ended by an operator"));

    assertThatThrownBy(() -> run(fixture))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("APPLICATION_ENDED: ended by an operator");
    assertThat(fixture.reported()).isEmpty();
    assertThat(fixture.counter("failed")).isZero();
  }

  private ReduceFixture unreachable() throws IOException {
    ReduceFixture fixture = fixture(2, AMPLE);
    push(ReduceFixture.attempt(1, 0), 2);
    fixture.master().tell(ReduceFixture.attempt(0, 0), Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.SUCCEEDED);
    return fixture;
  }

  private void assertFailsWithoutReporting(ReduceFixture fixture, ErrorCode code) {
    assertFails(fixture, code, "No map is reported as lost");
  }

  private void assertFails(ReduceFixture fixture, ErrorCode code, String saying) {
    assertThatThrownBy(() -> run(fixture))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(saying)
        .cause()
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code));
    assertThat(fixture.reported()).isEmpty();
    assertThat(fixture.counter("failed")).isZero();
    assertThat(shuffle.left()).as("servers that others should not meet again").isEmpty();
  }

  @Test
  void aServerThatCannotBeReachedAndIsNotLostFailsTheAttemptAndNoMap() throws Exception {
    ReduceFixture fixture = unreachable();
    shuffle.nextFate(() -> ServerFate.ALIVE);

    assertFailsWithoutReporting(fixture, ErrorCode.CONNECT_FAILED);
  }

  @Test
  void theLastAttemptTakesForLostWhatItCannotReach() throws Exception {
    ReduceFixture fixture = unreachable();
    fixture.job().setMaxReduceAttempts(1);
    shuffle.nextFate(() -> ServerFate.ALIVE);
    whilePausing.add(
        () -> {
          pushUnchecked(ReduceFixture.attempt(0, 1));
          fixture.master().tell(ReduceFixture.attempt(0, 1), Status.SUCCEEDED);
        });

    assertWhole(run(fixture), 2);
    assertThat(fixture.reported()).contains(ReduceFixture.attempt(0, 0));
  }

  @Test
  void ifNobodySaysWhetherAServerIsLostTheAttemptFailsAndNoMap() throws Exception {
    ReduceFixture fixture = unreachable();
    shuffle.nextFate(
        () -> {
          throw new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "nobody there");
        });

    assertFailsWithoutReporting(fixture, ErrorCode.COORDINATOR_UNAVAILABLE);
  }

  @Test
  void aServerThatHasNoRoomForTheReaderHasLostNothing() throws Exception {
    ReduceFixture fixture = unreachable();
    shuffle.answer(ErrorCode.TOO_MANY_CONNECTIONS);

    assertFails(fixture, ErrorCode.TOO_MANY_CONNECTIONS, "the map outputs cannot be read");
  }

  @Test
  void aServerThatSaysItselfThatItsDataIsGoneIsBelieved() throws Exception {
    ReduceFixture fixture = unreachable();
    shuffle.answer(ErrorCode.STALE_INCARNATION);
    whilePausing.add(
        () -> {
          pushUnchecked(ReduceFixture.attempt(0, 1));
          fixture.master().tell(ReduceFixture.attempt(0, 1), Status.SUCCEEDED);
        });

    assertWhole(run(fixture), 2);
    assertThat(fixture.reported()).containsOnly(ReduceFixture.attempt(0, 0));
  }

  @Test
  void aServerThatComesBackIsAskedAgain() throws Exception {
    ReduceFixture fixture = unreachable();
    shuffle.nextFate(
        () -> {
          pushUnchecked(ReduceFixture.attempt(0, 0));
          return ServerFate.BACK;
        });

    assertWhole(run(fixture), 2);
    assertThat(fixture.reported()).isEmpty();
    assertThat(fixture.counter("shuffled")).isEqualTo(2);
  }

  @Test
  void aServerThatComesAndGoesFailsTheAttemptInTheEnd() throws Exception {
    ReduceFixture fixture = unreachable();
    for (int i = 0; i < 5; i++) {
      shuffle.nextFate(() -> ServerFate.BACK);
    }

    assertFailsWithoutReporting(fixture, ErrorCode.CONNECT_FAILED);
  }

  @Test
  void aPartOfALostOutputThatHasBeenMergedIsThrownAway() throws Exception {
    // So little memory that a part of it is on disk when its end is missed.
    ReduceFixture fixture = fixture(2, 4_000);
    TaskAttemptID half = ReduceFixture.attempt(0, 0);
    push(half, 2);
    push(ReduceFixture.attempt(1, 0), 2);
    shuffle.loseEndOf(number(half));
    fixture.master().tell(half, Status.SUCCEEDED);
    fixture.master().tell(ReduceFixture.attempt(1, 0), Status.SUCCEEDED);
    whilePausing.add(
        () -> {
          shuffle.lose(number(half));
          pushUnchecked(ReduceFixture.attempt(0, 1));
          fixture.master().tell(half, Status.FAILED);
          fixture.master().tell(ReduceFixture.attempt(0, 1), Status.SUCCEEDED);
        });

    assertWhole(run(fixture), 2);
    assertThat(fixture.counter("shuffled")).isEqualTo(2);
  }

  @Test
  void whereOneProcessRunsAllTasksWinnersAreItsMapOutputsAndALostOneIsTheEnd() throws Exception {
    ReduceFixture fixture = fixture(2, AMPLE);
    Map<TaskAttemptID, MapOutputFile> local = new HashMap<>();
    local.put(ReduceFixture.attempt(0, 0), new MROutputFiles());
    local.put(ReduceFixture.attempt(1, 0), new MROutputFiles());
    push(ReduceFixture.attempt(0, 0), 2);
    push(ReduceFixture.attempt(1, 0), 2);

    assertWhole(new ReduceSide<>(fixture.context(local), shuffle, this::pause).run(), 2);

    shuffle.lose(number(ReduceFixture.attempt(1, 0)));
    ReduceSide<Text, IntWritable> again =
        new ReduceSide<>(fixture.context(local), shuffle, this::pause);
    assertThatThrownBy(again::run).isInstanceOf(IOException.class).hasMessageContaining("{1}");
  }

  @Test
  void aJobWithoutMapsHasNothingToReduce() throws Exception {
    assertWhole(run(fixture(0, AMPLE)), 0);
  }
}

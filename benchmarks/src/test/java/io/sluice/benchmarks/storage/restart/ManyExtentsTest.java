package io.sluice.benchmarks.storage.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyExtentsTest {
  /** A tenth of what a server must take up in five seconds, in as many units. */
  private static final RestartShape SHAPE = new RestartShape(2_000, 100_000, 25);

  private static final double SECONDS_MAX = 5;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path directory;

  private static RestartFigures serve(ManyExtents extents, int partition) throws Exception {
    List<RestartFigures> served = new ArrayList<>();
    extents.serve(partition, served::add);
    return served.get(0);
  }

  @Test
  void whatWasWrittenIsServedAgainSoon() throws Exception {
    ManyExtents extents = new ManyExtents(directory, SHAPE);
    extents.fill(() -> {});
    RestartFigures first = serve(extents, 0);
    RestartFigures last = serve(extents, 1_999);

    assertThat(first.extents()).isEqualTo(100_000);
    assertThat(first.units()).isEqualTo(4_000);
    assertThat(last.seconds().untilServing()).isPositive().isLessThan(SECONDS_MAX);
    assertThat(last.tableBytes()).isGreaterThan(100_000 * 96);
    // What tables are accounted with covers what they are.
    assertThat(last.heapBytes()).isLessThan(2 * last.tableBytes());
    assertThat(last.catalogBytes()).isPositive();
    assertThat(RestartFigures.parse(last.format()).extents()).isEqualTo(100_000);
  }

  @Test
  void aSegmentThatIsGoneIsNoticed() throws Exception {
    ManyExtents extents = new ManyExtents(directory, new RestartShape(100, 1_000, 10));
    extents.fill(() -> {});
    List<Path> segments;
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      segments = files.toList();
    }
    try (RandomAccessFile file = new RandomAccessFile(segments.get(0).toFile(), "rw")) {
      file.setLength(file.length() / 2);
    }

    assertThatThrownBy(() -> serve(extents, 0)).isInstanceOf(IllegalStateException.class);
  }
}

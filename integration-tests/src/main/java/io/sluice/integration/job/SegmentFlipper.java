package io.sluice.integration.job;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Flips a byte in the middle of the largest segment file once so many map tasks have ended. */
final class SegmentFlipper extends SparkListener {
  private static final String SUFFIX = ".seg";

  private final Path directory;
  private final AtomicInteger tasksLeft;

  SegmentFlipper(Path directory, int afterTasks) {
    this.directory = directory;
    this.tasksLeft = new AtomicInteger(afterTasks);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask") && tasksLeft.decrementAndGet() == 0) {
      try {
        flip(largestSegment());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Path largestSegment() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> segments =
          files
              .filter(file -> file.toString().endsWith(SUFFIX))
              .sorted(Comparator.comparingLong(file -> file.toFile().length()))
              .toList();
      return segments.get(segments.size() - 1);
    }
  }

  private static void flip(Path segment) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      long at = file.length() / 2;
      file.seek(at);
      int before = file.read();
      file.seek(at);
      file.write(before ^ 0x10);
      System.out.println("flipped a byte of a segment, " + segment + " at " + at);
    }
  }
}

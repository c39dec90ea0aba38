package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;

/**
 * How much room HDFS has, as of a few seconds ago. Whoever asks gets what is known and never waits
 * for the namenode; asking renews what has become old. Thread-safe.
 *
 * <p>HDFS counts every replica, so its figures are divided by their number.
 */
final class HdfsSpace {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final HdfsClient client;
  private final Path folder;
  private final int replication;
  private final Clock clock;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Answer last;

  /** One of room and failure; the time is that of the asking. */
  private record Answer(long capacity, long free, String failure, long atNanos) {}

  /** Asks for the first time, and waits. */
  HdfsSpace(HdfsClient client, Path folder, int replication) throws IOException {
    this.client = client;
    this.folder = folder;
    this.replication = replication;
    this.clock = client.scheduler().clock();
    last = client.calls().call("ask for space of " + folder, this::ask);
  }

  private Answer ask() throws IOException {
    FsStatus status = client.files().getStatus(folder);
    return new Answer(
        status.getCapacity() / replication,
        status.getRemaining() / replication,
        "",
        clock.nanoTime());
  }

  long capacity() throws IOException {
    return known().capacity();
  }

  long free() throws IOException {
    return known().free();
  }

  /** HDFS refused bytes for want of room or quota, whatever it says of itself. */
  void exhausted() {
    Answer answer = last;
    last = new Answer(answer.capacity(), 0, answer.failure(), clock.nanoTime());
  }

  private Answer known() throws IOException {
    Answer answer = last;
    if (clock.nanoTime() - answer.atNanos() > FRESH_NANOS && asking.compareAndSet(false, true)) {
      if (!client.calls().offer(this::renew)) {
        asking.set(false);
      }
    }
    if (!answer.failure().isEmpty()) {
      throw new IOException("HDFS does not tell its space: " + answer.failure());
    }
    return answer;
  }

  private void renew() {
    try {
      last = ask();
    } catch (IOException | RuntimeException e) {
      Answer old = last;
      last = new Answer(old.capacity(), old.free(), e.toString(), clock.nanoTime());
    } finally {
      asking.set(false);
    }
  }
}

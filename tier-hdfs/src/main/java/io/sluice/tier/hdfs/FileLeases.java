package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;

/**
 * Takes files away from whoever writes them. HDFS closes such a file at the length that its
 * datanodes agree on, which is at least all that was flushed ({@code hflush}); from then on the
 * former writer can neither write to its datanodes, whose replicas have a new generation, nor get a
 * new block.
 *
 * <p>The namenode tells nobody when a recovery ends: it can only be asked again, so this is one of
 * the few places that ask by time. A recovery takes one heartbeat of a datanode, 3 s by default.
 */
final class FileLeases {
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A recovery whose datanode died has to be begun anew; the namenode ignores early repeats. */
  private static final int ASKS_PER_RECOVERY = 40;

  private final HdfsClient client;
  private final HdfsCalls calls;

  FileLeases(HdfsClient client) {
    this(client, client.calls());
  }

  /**
   * @param calls of the client, which may be short of time
   */
  FileLeases(HdfsClient client, HdfsCalls calls) {
    this.client = client;
    this.calls = calls;
  }

  /**
   * Ends all writing to some files and waits until they are closed.
   *
   * @throws java.nio.file.AccessDeniedException if HDFS does not let this user take one
   * @throws IOException if one is not closed within the deadline of a call
   */
  void take(List<Path> files) throws IOException {
    List<Path> refused = takePermitted(files);
    if (!refused.isEmpty()) {
      throw new AccessDeniedException(refused.get(0).toString());
    }
  }

  /**
   * The same, but leaves what HDFS does not let this user take.
   *
   * @return the files left as they are
   */
  List<Path> takePermitted(List<Path> files) throws IOException {
    List<Path> open = new ArrayList<>();
    List<Path> refused = new ArrayList<>();
    for (Path file : files) {
      try {
        if (!recover(file)) {
          open.add(file);
        }
      } catch (IOException e) {
        if (!FileOwners.isRefusal(e)) {
          throw e;
        }
        refused.add(file);
      }
    }
    awaitClosed(open);
    return refused;
  }

  private boolean recover(Path file) throws IOException {
    return calls.call("recover lease of " + file, () -> client.leases().recoverLease(file));
  }

  /** Waits until files that nobody writes are closed. */
  void awaitClosed(List<Path> files) throws IOException {
    Clock clock = client.scheduler().clock();
    long began = clock.nanoTime();
    List<Path> open = new ArrayList<>(files);
    for (int asked = 1; true; asked++) {
      boolean again = asked % ASKS_PER_RECOVERY == 0;
      for (Iterator<Path> rest = open.iterator(); rest.hasNext(); ) {
        Path file = rest.next();
        if (again ? recover(file) : isClosed(file)) {
          rest.remove();
        }
      }
      if (open.isEmpty()) {
        return;
      }
      if (clock.nanoTime() - began > calls.deadlineNanos()) {
        throw new IOException("HDFS did not close " + open);
      }
      pause();
    }
  }

  private boolean isClosed(Path file) throws IOException {
    return calls.call("ask for " + file, () -> client.leases().isFileClosed(file));
  }

  private void pause() throws IOException {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    client.scheduler().schedule(ASK_NANOS, () -> over.complete(true));
    try {
      over.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while HDFS closed a file");
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }
}

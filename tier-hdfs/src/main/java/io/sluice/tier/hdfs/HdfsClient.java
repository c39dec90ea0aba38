package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one HDFS: its file system, its threads, its clock. Thread-safe; owned by
 * whoever opened it, who closes it after every disk over it.
 */
final class HdfsClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HdfsClient.class);

  /** Of 20 s each; Hadoop's own 45 are a quarter of an hour. */
  private static final int CONNECT_RETRIES = 2;

  private static final String SOCKET_TIMEOUT = "dfs.client.socket-timeout";

  /** How many datanodes in a row may stay silent before a call is over. */
  private static final int DATANODES_PER_CALL = 4;

  private final HdfsCalls calls;
  private final FileSystem files;
  private final Scheduler scheduler;

  private HdfsClient(HdfsCalls calls, FileSystem files, Scheduler scheduler) {
    this.calls = calls;
    this.files = files;
    this.scheduler = scheduler;
  }

  /**
   * Connects.
   *
   * @param root decides which file system
   * @param hadoop taken over and completed
   * @param calls belong to the client from here, also if opening fails
   * @throws SluiceException INVALID_CONFIGURATION if the root is not on HDFS, DISK_FAILED if it
   *     does not answer
   */
  static HdfsClient open(Path root, Configuration hadoop, HdfsCalls calls, Scheduler scheduler) {
    long deadlineMillis = TimeUnit.NANOSECONDS.toMillis(calls.deadlineNanos());
    // A call that is given up must end at last, or it keeps its thread for ever.
    hadoop.setLong("ipc.client.rpc-timeout.ms", deadlineMillis);
    // A datanode that is gone has to be passed by within one call: Hadoop's own 60 s are longer.
    hadoop.setLong(
        SOCKET_TIMEOUT,
        Math.min(
            hadoop.getLong(SOCKET_TIMEOUT, Long.MAX_VALUE), deadlineMillis / DATANODES_PER_CALL));
    hadoop.setInt("ipc.client.connect.max.retries.on.timeouts", CONNECT_RETRIES);
    // Hadoop would close it as soon as the process is told to end, while memory is being flushed.
    hadoop.setBoolean("fs.automatic.close", false);
    try {
      // Not from Hadoop's cache, where somebody else could close it.
      FileSystem files =
          calls.open("connect to " + root, () -> FileSystem.newInstance(root.toUri(), hadoop));
      if (files instanceof LeaseRecoverable) {
        return new HdfsClient(calls, files, scheduler);
      }
      files.close();
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, root + " is not on HDFS: leases cannot be recovered");
    } catch (IOException e) {
      calls.close();
      throw new SluiceException(ErrorCode.DISK_FAILED, "cannot connect to " + root, e);
    } catch (SluiceException e) {
      calls.close();
      throw e;
    }
  }

  /**
   * A connection in somebody else's name, on the same threads: Hadoop binds a file system to the
   * user who made it. To be ended with {@link #disconnect} before this one is closed.
   */
  HdfsClient inTheNameOf(String user) throws IOException {
    HdfsCalls others = calls.inTheNameOf(user);
    FileSystem theirs =
        others.open(
            "connect as " + user, () -> FileSystem.newInstance(files.getUri(), files.getConf()));
    return new HdfsClient(others, theirs, scheduler);
  }

  HdfsCalls calls() {
    return calls;
  }

  FileSystem files() {
    return files;
  }

  LeaseRecoverable leases() {
    return (LeaseRecoverable) files;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Ends the connection, and leaves the threads. */
  void disconnect() {
    try {
      calls.call(
          "disconnect",
          () -> {
            files.close();
            return true;
          });
    } catch (IOException e) {
      log.warn("HDFS did not close cleanly", e);
    }
  }

  @Override
  public void close() {
    try {
      disconnect();
    } finally {
      calls.close();
    }
  }
}

package io.sluice.tier.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * One file on an HDFS whose pipeline takes bytes and acknowledges none: flushing fails, and closing
 * takes as long as a test says. The namenode answers at once. The file is empty at first, and as
 * long as a test says from then on. Thread-safe.
 */
public final class FakeHdfs extends FileSystem implements LeaseRecoverable {
  static final String SCHEME = "fakehdfs";

  private final AtomicInteger recoveries = new AtomicInteger();
  private volatile Runnable duringAppend = () -> {};
  private volatile Runnable duringClose = () -> {};
  private volatile long length;

  /** For Hadoop, which makes one for each connection. */
  public FakeHdfs() {}

  /** What happens while the file is being opened to be appended to. */
  void duringAppend(Runnable happening) {
    duringAppend = happening;
  }

  /** What happens while a stream is being closed. */
  void duringClose(Runnable happening) {
    duringClose = happening;
  }

  /** What the namenode says of the file, whatever was written. */
  void length(long bytes) {
    length = bytes;
  }

  /** How often somebody wanted to take a lease. */
  int recoveries() {
    return recoveries.get();
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + "://here");
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    duringAppend.run();
    return new FSDataOutputStream(new Pipeline(), null, length);
  }

  /** A stream without a datanode that answers. */
  private final class Pipeline extends OutputStream {
    @Override
    public void write(int taken) {}

    @Override
    public void flush() throws IOException {
      throw new IOException("no acknowledgement");
    }

    @Override
    public void close() throws IOException {
      duringClose.run();
      throw new IOException("no acknowledgement");
    }
  }

  @Override
  public boolean recoverLease(Path file) {
    recoveries.incrementAndGet();
    return true;
  }

  @Override
  public boolean isFileClosed(Path file) {
    return true;
  }

  @Override
  public FileStatus getFileStatus(Path path) {
    return new FileStatus(length, false, 1, 1 << 20, 0, path);
  }

  @Override
  public FileStatus[] listStatus(Path path) {
    return new FileStatus[0];
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean delete(Path path, boolean recursive) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setWorkingDirectory(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getWorkingDirectory() {
    return new Path(getUri() + "/");
  }
}

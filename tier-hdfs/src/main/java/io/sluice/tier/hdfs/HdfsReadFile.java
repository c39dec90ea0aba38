package io.sluice.tier.hdfs;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is read while it may still grow. Thread-safe.
 *
 * <p>A stream of HDFS sees the file as long as it was when the stream was opened. So whoever finds
 * its end there looks again with a new stream; the old one is closed by the last who reads from it.
 */
final class HdfsReadFile implements DiskFile {
  /** The most that one read takes: as much as a server's read buffer, four times. */
  private static final int PIECE = 1 << 20;

  private static final Logger log = LoggerFactory.getLogger(HdfsReadFile.class);

  private final HdfsClient client;
  private final Path path;
  private Stream current;

  HdfsReadFile(HdfsClient client, Path path) throws IOException {
    this.client = client;
    this.path = path;
    this.current = open();
  }

  private Stream open() throws IOException {
    return new Stream(client.calls().call("open " + path, () -> client.files().open(path)));
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    // A call past its deadline may write into these bytes still, so they are nobody else's.
    byte[] bytes = new byte[Math.min(target.remaining(), PIECE)];
    Stream stream = take();
    int read;
    try {
      read = read(stream, bytes, position);
      if (read < 0) {
        stream = renew(stream);
        read = read(stream, bytes, position);
      }
    } finally {
      release(stream);
    }
    if (read > 0) {
      target.put(bytes, 0, read);
    }
    return read;
  }

  private int read(Stream stream, byte[] bytes, long position) throws IOException {
    return client
        .calls()
        .call("read " + path, () -> stream.input.read(position, bytes, 0, bytes.length));
  }

  private synchronized Stream take() {
    current.users++;
    return current;
  }

  /**
   * Gives up a stream that has come to its end and takes a newer one; keeps the old one if that
   * fails. Readers of the same file wait meanwhile, as they would for the file to be opened.
   */
  private synchronized Stream renew(Stream old) throws IOException {
    if (current == old) {
      current = open();
      old.retired = true;
    }
    release(old);
    return take();
  }

  private synchronized void release(Stream stream) {
    stream.users--;
    closeUnused(stream);
  }

  private void closeUnused(Stream stream) {
    if (stream.users == 0 && stream.retired) {
      FSDataInputStream input = stream.input;
      // Nothing is lost if the client is closed already, or too busy: the stream has no lease.
      client.calls().offer(() -> closeQuietly(input));
    }
  }

  private void closeQuietly(FSDataInputStream input) {
    try {
      input.close();
    } catch (IOException e) {
      log.debug("closing {} after reading failed", path, e);
    }
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    throw new IOException(path + " is open for reading");
  }

  @Override
  public long length() throws IOException {
    return client
        .calls()
        .call("look at " + path, () -> client.files().getFileStatus(path))
        .getLen();
  }

  @Override
  public void truncate(long length) throws IOException {
    throw new IOException(path + " is open for reading");
  }

  @Override
  public void force() {
    // Nothing was written here.
  }

  /** No read is under way any more, or its answer is not wanted. */
  @Override
  public synchronized void close() {
    if (!current.retired) {
      current.retired = true;
      closeUnused(current);
    }
  }

  /** One opening of the file; all but the input under the file's lock. */
  private static final class Stream {
    private final FSDataInputStream input;
    private int users;
    private boolean retired;

    Stream(FSDataInputStream input) {
      this.input = input;
    }
  }
}

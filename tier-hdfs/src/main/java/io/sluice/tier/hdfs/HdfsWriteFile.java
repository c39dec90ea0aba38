package io.sluice.tier.hdfs;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.jspecify.annotations.Nullable;

/**
 * A file that grows at its end only. Used by one thread at a time, the disk's writer.
 *
 * <p>Every write ends with {@code hflush}: at return all datanodes of the block have the bytes in
 * memory and any new reader sees them, so they survive this process. The stream is opened by the
 * first write, because cutting a file off needs it closed. After a failure the stream is of no use
 * any more, and the file's real length unknown: only {@link #truncate} makes it whole again.
 */
final class HdfsWriteFile implements DiskFile {
  /** Bytes handed to the client at once: large beside its 64 KiB packets. */
  private static final int PIECE = 1 << 20;

  /**
   * Of the time for a cut, at most this share goes to closing the stream, which waits for the same
   * acknowledgements as the write that failed: as long as a datanode may be silent.
   */
  private static final int CLOSING_SHARE = 4;

  private final HdfsClient client;
  private final HdfsSpace space;
  private final Path path;
  private long length;
  private byte[] piece = new byte[0];
  private @Nullable FSDataOutputStream stream;
  private boolean broken;

  /**
   * @param length of the file, which nobody writes; of one that was not closed well the namenode
   *     may say less than there is
   */
  HdfsWriteFile(HdfsClient client, HdfsSpace space, Path path, long length) {
    this.client = client;
    this.space = space;
    this.path = path;
    this.length = length;
  }

  /** Takes as long as one call at most, whatever is asked for it. */
  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    if (broken) {
      throw new IOException(path + " has failed and was not cut off since");
    }
    if (position != length) {
      // How long it is, a cut finds out: each write would fail at it otherwise.
      broken = true;
      throw new IOException(
          "HDFS appends only: " + path + " ends at " + length + ", not " + position);
    }
    int total = source.remaining();
    HdfsCalls calls = client.calls().together(client.scheduler().clock());
    try {
      FSDataOutputStream out = open(calls);
      while (source.hasRemaining()) {
        write(calls, out, source);
      }
      calls.call(
          "flush " + path,
          () -> {
            out.hflush();
            return true;
          });
    } catch (IOException e) {
      broken = true;
      piece = new byte[0]; // the call may still be reading it
      if (e instanceof QuotaExceededException) {
        space.exhausted();
      }
      throw e;
    }
    length += total;
    return total;
  }

  private FSDataOutputStream open(HdfsCalls calls) throws IOException {
    FSDataOutputStream out = stream;
    if (out == null) {
      out = calls.call("append to " + path, () -> client.files().append(path));
      stream = out;
      if (out.getPos() != length) {
        throw new IOException(path + " is " + out.getPos() + " bytes long, not " + length);
      }
    }
    return out;
  }

  private void write(HdfsCalls calls, FSDataOutputStream out, ByteBuffer source)
      throws IOException {
    int size = Math.min(source.remaining(), PIECE);
    if (piece.length < size) {
      piece = new byte[size];
    }
    byte[] bytes = piece;
    source.get(bytes, 0, size);
    calls.call(
        "write to " + path,
        () -> {
          out.write(bytes, 0, size);
          return true;
        });
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    throw new IOException(path + " is open for writing");
  }

  @Override
  public long length() {
    return length;
  }

  /**
   * Takes a heartbeat of a datanode, unless the length is as wanted or a block's end; as long as
   * one call at most, whatever is asked for it. What is not cut by then is of no use for writes any
   * more.
   *
   * @throws IOException likewise if HDFS has closed the file at less than the new length: bytes are
   *     gone that it had taken, and nothing can be appended where the next unit is to begin
   */
  @Override
  public void truncate(long newLength) throws IOException {
    if (!broken && newLength >= length) {
      return;
    }
    broken = true;
    HdfsCalls calls = client.calls().together(client.scheduler().clock());
    abandonStream(calls.atMost(calls.deadlineNanos() / CLOSING_SHARE));
    FileLeases leases = new FileLeases(client, calls);
    leases.take(List.of(path));
    long real = calls.call("look at " + path, () -> client.files().getFileStatus(path)).getLen();
    if (real < newLength) {
      throw new IOException(
          path + " is " + real + " bytes long, and had " + newLength + " before: HDFS lost some");
    }
    if (real > newLength && !cut(calls, newLength)) {
      leases.awaitClosed(List.of(path));
    }
    length = newLength;
    broken = false;
  }

  /** Whether it is done, or has yet to come to the datanodes. */
  private boolean cut(HdfsCalls calls, long newLength) throws IOException {
    try {
      return calls.call("cut " + path, () -> client.files().truncate(path, newLength));
    } catch (IOException e) {
      throw FileOwners.refusedOr(e, path);
    }
  }

  private void abandonStream(HdfsCalls calls) {
    try {
      closeStream(calls);
    } catch (IOException expected) {
      // The lease is taken from it next.
    }
  }

  @Override
  public void force() throws IOException {
    FSDataOutputStream out = stream;
    if (out != null) {
      client
          .calls()
          .call(
              "sync " + path,
              () -> {
                out.hsync();
                return true;
              });
    }
  }

  @Override
  public void close() throws IOException {
    closeStream(client.calls());
  }

  private void closeStream(HdfsCalls calls) throws IOException {
    FSDataOutputStream out = stream;
    if (out != null) {
      stream = null;
      calls.call(
          "close " + path,
          () -> {
            out.close();
            return true;
          });
    }
  }
}

package org.apache.spark.shuffle.sluice.write;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;

/**
 * What a serializer writes, in one array that is used again. It holds as much as an array can; more
 * is refused by name, since the virtual machine would call it a lack of memory, and Spark ends an
 * executor that has one. Used by one thread.
 */
final class SerializedBytes extends OutputStream {
  /** Most bytes of one record, or of one stream. */
  static final int MAX = Integer.MAX_VALUE - 8;

  private static final int FIRST_CAPACITY = 4096;

  /** An array longer than this, which one long record needed, is not kept for the next ones. */
  private static final int MAX_KEPT = 4 << 20;

  private final int max;
  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int size;

  SerializedBytes() {
    this(MAX);
  }

  SerializedBytes(int max) {
    this.max = max;
  }

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  /** Bytes of heap that this takes. */
  int capacity() {
    return bytes.length;
  }

  void reset() {
    size = 0;
    if (bytes.length > MAX_KEPT) {
      bytes = new byte[FIRST_CAPACITY];
    }
  }

  @Override
  public void write(int value) {
    makeRoom(1);
    bytes[size++] = (byte) value;
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    makeRoom(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
  }

  private void makeRoom(int more) {
    if (more <= bytes.length - size) {
      return;
    }
    long needed = (long) size + more;
    checkLength(needed, max);
    bytes = Arrays.copyOf(bytes, (int) Math.min(max, Math.max(needed, 2L * bytes.length)));
  }

  /**
   * @throws SluiceException BLOCK_TOO_LARGE if no reader could hold a record of so many bytes
   */
  static void checkLength(long bytes, int max) {
    if (bytes > max) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a record of at least "
              + bytes
              + " serialised bytes cannot be shuffled; the most is "
              + max
              + ", what an array can hold");
    }
  }

  /**
   * Pushes everything, in as few blocks as it takes, and forgets it. Several blocks are a chain,
   * which a reader gets in one piece.
   *
   * @param records how many there are in it
   * @param lastFlag LAST or 0, for the last of the blocks; there is none if there are no bytes
   */
  void push(PushPipeline pipeline, int partition, int records, int lastFlag) throws IOException {
    int most = pipeline.maxRawBytes();
    for (int done = 0; done < size; ) {
      int piece = Math.min(most, size - done);
      boolean ends = piece == size - done;
      long to = pipeline.open(partition, piece);
      Platform.copyMemory(bytes, Platform.BYTE_ARRAY_OFFSET + done, null, to, piece);
      pipeline.close(piece, done == 0 ? records : 0, ends ? lastFlag : BlockHeader.CONTINUES);
      done += piece;
    }
    reset();
  }
}

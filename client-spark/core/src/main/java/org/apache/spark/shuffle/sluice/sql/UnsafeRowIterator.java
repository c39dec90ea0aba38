package org.apache.spark.shuffle.sluice.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.util.NoSuchElementException;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.read.Piece;
import org.apache.spark.shuffle.sluice.read.RawBlocks;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/**
 * Rows read in place: one row object is pointed at each row of the decompressed piece in turn. Like
 * Spark's own, a row is good until the next {@link #next}; asking {@link #hasNext} in between is
 * harmless, since the piece before the current one stays intact.
 */
public final class UnsafeRowIterator extends AbstractIterator<Tuple2<Object, Object>> {
  private static final int PREFIX = Integer.BYTES;
  private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private final RawBlocks blocks;
  private final UnsafeRow row;
  private final Tuple2<Object, Object> record;
  private @Nullable Piece piece;
  private byte[] bytes = new byte[0];
  private int position;
  private int limit;

  /**
   * @param serializer of the rows, see {@link UnsafeRowFormat#isFormatOf}
   */
  public UnsafeRowIterator(RawBlocks blocks, Serializer serializer) {
    this.blocks = blocks;
    this.row = new UnsafeRow(UnsafeRowFormat.numFields(serializer));
    // The key, the row's partition, is only of use on the map side: Spark's serializer drops it.
    this.record = new Tuple2<>(0, row);
  }

  @Override
  public boolean hasNext() {
    return position < limit || advance();
  }

  private boolean advance() {
    Piece next;
    try {
      next = blocks.next();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (next == null) {
      return false;
    }
    piece = next;
    bytes = next.bytes();
    position = 0;
    limit = next.length();
    return true;
  }

  @Override
  public Tuple2<Object, Object> next() {
    if (!hasNext() || piece == null) {
      throw new NoSuchElementException("no more rows");
    }
    int begin = position + PREFIX;
    int length = begin <= limit ? readLength() : -1;
    if (length < 0 || length > limit - begin) {
      throw blocks.damaged(
          piece, "a row at " + position + " of " + limit + " bytes claims to have " + length);
    }
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + begin, length);
    position = begin + length;
    return record;
  }

  private int readLength() {
    int length = Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + position);
    return SWAP ? Integer.reverseBytes(length) : length;
  }
}

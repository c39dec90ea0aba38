package org.apache.spark.shuffle.sluice.read;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Records of serializers whose streams cannot be joined: each piece is a stream of its own. */
final class StreamPerPieceIterator extends AbstractIterator<Tuple2<Object, Object>> {
  private final RawBlocks blocks;
  private final SerializerInstance serializer;
  private @Nullable Iterator<Tuple2<Object, Object>> piece;
  private boolean ended;
  // While a piece is begun, and for good if that fails: its records do not come again.
  private boolean failed;
  // The first failure, of which whoever caught it and reads on is told.
  private @Nullable Throwable failure;

  StreamPerPieceIterator(RawBlocks blocks, SerializerInstance serializer) {
    this.blocks = blocks;
    this.serializer = serializer;
  }

  @Override
  public boolean hasNext() {
    while (!ended) {
      Iterator<Tuple2<Object, Object>> current = piece;
      if (current != null && current.hasNext()) {
        return true;
      }
      advance();
    }
    return false;
  }

  private void advance() {
    if (failed) {
      throw new WentOnException("records are read on, some of which failed to be read", failure);
    }
    failed = true;
    try {
      begin();
    } catch (Throwable e) { // Spark's streams and fetch failures throw what is not declared.
      failure = e;
      throw e;
    }
    failed = false;
  }

  private void begin() {
    Piece next;
    try {
      next = blocks.next();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (next == null) {
      ended = true;
      piece = null;
      return;
    }
    piece =
        serializer
            .deserializeStream(new ByteArrayInputStream(next.bytes(), 0, next.length()))
            .asKeyValueIterator();
  }

  @Override
  public Tuple2<Object, Object> next() {
    if (!hasNext() || piece == null) {
      throw new NoSuchElementException("no more records");
    }
    return piece.next();
  }
}

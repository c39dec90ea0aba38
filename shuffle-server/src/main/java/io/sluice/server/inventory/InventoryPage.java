package io.sluice.server.inventory;

import io.sluice.server.segment.MapTally;
import io.sluice.transport.InventoryEntries;
import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One answer: as many whole attempts as fit, from a map on, in pieces that are sent one after the
 * other. Whoever has a page sends all of its pieces, or closes it.
 */
final class InventoryPage implements AutoCloseable {
  private final List<OutgoingData> pieces = new ArrayList<>();
  private final AtomicInteger open;
  private final Runnable onClosed;
  private final int entries;

  /**
   * @param onClosed run when the last piece has left, or is not needed any more; any thread
   */
  InventoryPage(MapTally tally, int firstMap, Runnable onClosed) {
    Pieces made = new Pieces(count(tally, firstMap));
    tally.forEachWhole(firstMap, made::add);
    this.entries = made.entries;
    this.onClosed = onClosed;
    for (ByteBuffer piece : made.all) {
      pieces.add(new Piece(piece.flip()));
    }
    open = new AtomicInteger(pieces.size());
    if (pieces.isEmpty()) {
      onClosed.run();
    }
  }

  private static int count(MapTally tally, int firstMap) {
    int[] count = new int[1];
    tally.forEachWhole(
        firstMap, (map, attempt, lasts) -> ++count[0] < InventoryEntries.MAX_ENTRIES);
    return count[0];
  }

  int entries() {
    return entries;
  }

  /** In order; each is whoever's takes it from here. */
  List<OutgoingData> pieces() {
    return pieces;
  }

  /** Nobody wants it. */
  @Override
  public void close() {
    pieces.forEach(OutgoingData::close);
  }

  /** Entries, in buffers of just their size. */
  private static final class Pieces {
    private final List<ByteBuffer> all = new ArrayList<>();
    private final int count;
    private int entries;
    private ByteBuffer piece = ByteBuffer.allocate(0);

    Pieces(int count) {
      this.count = count;
    }

    boolean add(int map, long attempt, int lasts) {
      if (!piece.hasRemaining()) {
        int fit = Math.min(count - entries, InventoryEntries.MAX_PER_PIECE);
        piece = ByteBuffer.allocateDirect(fit * InventoryEntries.BYTES);
        all.add(piece);
      }
      InventoryEntries.put(piece, map, attempt, lasts);
      entries++;
      return entries < count;
    }
  }

  private final class Piece implements OutgoingData {
    private final ByteBuffer bytes;

    Piece(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {bytes};
    }

    @Override
    public int length() {
      return bytes.capacity();
    }

    @Override
    public void close() {
      if (open.decrementAndGet() == 0) {
        onClosed.run();
      }
    }
  }
}

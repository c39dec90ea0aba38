package io.sluice.mapreduce.block;

import io.sluice.client.BlockReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one partition, as they come, put together to runs in memory. Blocks of many maps come
 * mixed; those of one attempt mostly in their order, in which case a run stays whole, else it
 * becomes several. Used by one thread.
 */
public final class Runs implements AutoCloseable {
  private final BlockDecoder decoder;
  private final Map<Integer, Tail> tails = new HashMap<>();
  private List<Run> runs = new ArrayList<>();
  private long memory;

  // The blocks of a record that spans several, while it is not whole.
  private final List<byte[]> chain = new ArrayList<>();

  /**
   * @param codec the job's for map outputs; null if it has none
   */
  public Runs(@Nullable CompressionCodec codec) {
    this.decoder = new BlockDecoder(codec);
  }

  /** Takes a block, whose bytes are copied. */
  public void add(BlockReader.Block block) throws IOException {
    byte[] piece = new byte[block.rawLength()];
    decoder.decode(block, piece, 0);
    Tail tail = tails.computeIfAbsent(block.mapIndex(), map -> new Tail());
    boolean follows = block.sequence() == tail.sequence + 1;
    tail.sequence = block.sequence();
    if (chain.isEmpty() && piece.length > 0) {
      tail.follows = follows;
    }
    if (block.continues()) {
      chain.add(piece);
      return;
    }
    if (!chain.isEmpty()) {
      chain.add(piece);
      piece = joined();
    }
    if (piece.length > BlockFormat.MARK_BYTES) {
      append(tail, piece);
    }
  }

  /** The whole record, which is one piece to whoever reads it. */
  private byte[] joined() throws IOException {
    long length = chain.stream().mapToLong(link -> link.length).sum();
    if (length > Integer.MAX_VALUE - 8) {
      throw new IOException("a record is longer than an array can be");
    }
    ByteBuffer all = ByteBuffer.allocate((int) length);
    chain.forEach(all::put);
    chain.clear();
    return all.array();
  }

  private void append(Tail tail, byte[] piece) {
    Run run = tail.run;
    long before = 0;
    if (run == null || !tail.follows || piece[0] != BlockFormat.RUN_CONTINUES) {
      run = new Run();
      runs.add(run);
      tail.run = run;
    } else {
      before = run.memory();
    }
    run.add(piece);
    memory += run.memory() - before;
  }

  /** Bytes of memory that all runs take. */
  public long memory() {
    return memory;
  }

  /** Hands over all runs, of which each may go on in a run yet to come. */
  public List<Run> take() {
    List<Run> taken = runs;
    runs = new ArrayList<>();
    tails.values().forEach(tail -> tail.run = null);
    memory = 0;
    return taken;
  }

  /** Drops everything. */
  public void clear() {
    take();
    tails.clear();
    chain.clear();
  }

  @Override
  public void close() {
    clear();
    decoder.close();
  }

  /** Where a map's last block came to lie. */
  private static final class Tail {
    @Nullable Run run;
    int sequence = -1;
    boolean follows;
  }
}

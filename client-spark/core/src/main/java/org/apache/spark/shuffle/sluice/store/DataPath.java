package org.apache.spark.shuffle.sluice.store;

import io.sluice.common.security.BlockKeys;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.jspecify.annotations.Nullable;

/**
 * What the blocks of a process's tasks go through, on their way to servers and back. Immutable and
 * thread-safe; whoever made it closes it, not those who write and read with it.
 */
public final class DataPath implements AutoCloseable {
  private final ShuffleStore store;
  private final BlockCodecs codecs;
  private final @Nullable BlockKeys keys;
  private final SpareCores cores;

  /**
   * @param store owned by this from now on
   * @param keys null if the application does not encrypt its blocks
   * @param cores lent for what can be done beside a task; owned by this from now on
   */
  public DataPath(
      ShuffleStore store, BlockCodecs codecs, @Nullable BlockKeys keys, SpareCores cores) {
    this.store = store;
    this.codecs = codecs;
    this.keys = keys;
    this.cores = cores;
  }

  public ShuffleStore store() {
    return store;
  }

  public BlockCodecs codecs() {
    return codecs;
  }

  /** Null if the application does not encrypt its blocks. */
  public @Nullable BlockKeys keys() {
    return keys;
  }

  public SpareCores cores() {
    return cores;
  }

  /** Lends no cores any more, then closes the connections. */
  @Override
  public void close() {
    cores.close();
    store.close();
  }
}

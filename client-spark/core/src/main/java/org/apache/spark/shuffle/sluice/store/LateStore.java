package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.PlacedServer;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver's way to the servers, opened when it first has something to ask them: most never do, and
 * need no event loops for it. Thread-safe.
 */
public final class LateStore implements AutoCloseable {
  private final Supplier<ShuffleStore> opening;

  // Guarded by this.
  private @Nullable ShuffleStore store;
  private boolean closed;

  /**
   * @param opening the store is closed with this
   */
  public LateStore(Supplier<ShuffleStore> opening) {
    this.opening = opening;
  }

  /**
   * As {@link ShuffleStore#storedMaps}.
   *
   * @throws SluiceException CANCELLED after {@link #close}
   */
  public CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    return open().storedMaps(server, shuffle);
  }

  private synchronized ShuffleStore open() {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "Spark stops");
    }
    ShuffleStore opened = store;
    if (opened == null) {
      opened = opening.get();
      store = opened;
    }
    return opened;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (store != null) {
      store.close();
    }
  }
}

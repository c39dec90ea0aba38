package io.sluice.server.ingest;

import io.sluice.common.id.ShuffleKey;
import java.util.HashSet;
import java.util.Set;

/**
 * Of which shuffles the client of a connection was told that no coordinator hears this server. It
 * is told when it pushes blocks of one, once for each time that {@link PushGate#unheard} counts. On
 * the connection's event loop.
 */
final class UnheardNews {
  /** Shuffles that one client writes at a time; of more it is told the next time. */
  private static final int MAX_TOLD = 256;

  private final Set<ShuffleKey> told = new HashSet<>();
  private int times;

  /**
   * Whether the client has to be told now; true means that it was.
   *
   * @param now how often there was reason to tell; 0 if there is none
   */
  boolean isDue(ShuffleKey shuffle, int now) {
    if (now != times) {
      times = now;
      told.clear();
    }
    return now > 0 && told.size() < MAX_TOLD && told.add(shuffle);
  }
}

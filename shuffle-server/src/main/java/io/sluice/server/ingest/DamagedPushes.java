package io.sluice.server.ingest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells of the blocks of one connection that came damaged, but not of all: each costs the client a
 * round trip and no credit, so lines could come as fast as round trips. All are counted among the
 * refused blocks. On the connection's event loop.
 */
final class DamagedPushes {
  static final int MAX_TOLD = 1_000;

  private final String peer;
  private final Consumer<String> log;
  private int told;

  /**
   * @param peer who pushes, for people
   * @param log takes a line
   */
  DamagedPushes(String peer, Consumer<String> log) {
    this.peer = peer;
    this.log = log;
  }

  /**
   * Takes note of one.
   *
   * @param block names it, if that is wanted
   */
  void tell(ShuffleKey shuffle, Supplier<String> block) {
    if (told > MAX_TOLD) {
      return;
    }
    told++;
    log.accept(
        told > MAX_TOLD
            ? ErrorCode.CORRUPT_BLOCK
                + ": more than "
                + MAX_TOLD
                + " damaged blocks from "
                + peer
                + ", no more of them are told"
            : ErrorCode.CORRUPT_BLOCK
                + ": damaged block, shuffle "
                + shuffle
                + ", "
                + block.get()
                + ", from "
                + peer);
  }
}

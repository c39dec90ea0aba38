package io.sluice.server.fetch;

import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Clock;
import io.sluice.server.partition.Shuffle;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.PeerInfo;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names each fetch of a connection so that a reader's error can be found in the server's log:
 * {@code 5f3a9c21@10.0.0.7:41822/17} is fetch 17 of the connection from that address, of the client
 * process whose id begins like this. The reader is told the same name with the failure.
 */
final class FetchTrace {
  private static final Logger log = LoggerFactory.getLogger(FetchTrace.class);
  private static final int PROCESS_DIGITS = 8;

  // A reader tells of a block or two for each fetch, and fetches again; who tells of more is not
  // heard until ten minutes are over. A process may live for days and tell of the same block at
  // each read.
  private static final int MAX_DAMAGE_TOLD = 1_000;
  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final PeerInfo peer;
  private final Clock clock;
  private long windowBegan;
  private int damageTold;

  FetchTrace(PeerInfo peer, Clock clock) {
    this.peer = peer;
    this.clock = clock;
    this.windowBegan = clock.nanoTime();
  }

  private String name(int stream) {
    String process = peer.process().toString().substring(0, PROCESS_DIGITS);
    return process + "@" + peer.address() + "/" + stream;
  }

  void began(Object shuffle, FetchRequest request) {
    if (log.isDebugEnabled()) {
      log.debug(
          "fetch {}: shuffle {}, partitions {} to {}, maps {} to {}",
          name(request.stream()),
          shuffle,
          request.firstPartition(),
          request.endPartition(),
          request.firstMap(),
          request.endMap());
    }
  }

  /**
   * Takes note of damage that only the reader saw, with all places that the block may have come
   * from: those that hold blocks of its map now, be it memory or segments.
   *
   * @param shuffle of the block, or null if that is not here (any more)
   * @return false if more was told of late than anybody can have found
   */
  boolean damaged(int stream, DamagedBlock block, @Nullable Shuffle shuffle) {
    long now = clock.nanoTime();
    if (now - windowBegan >= WINDOW_NANOS) {
      windowBegan = now;
      damageTold = 0;
    }
    if (damageTold > MAX_DAMAGE_TOLD) {
      return false;
    }
    if (damageTold == MAX_DAMAGE_TOLD) {
      damageTold++;
      log.warn(
          "fetch {}: more than {} damaged blocks on this connection in ten minutes, no more are heard",
          name(stream),
          MAX_DAMAGE_TOLD);
      return false;
    }
    damageTold++;
    log.warn(
        "fetch {}: {}, found by the reader: {}; here it is in {}",
        name(stream),
        ErrorCode.CORRUPT_BLOCK,
        block,
        BlockPlaces.of(block, shuffle));
    return true;
  }

  /**
   * Takes note of a failure. What callers do wrong, or what was removed under them, is theirs to
   * log.
   *
   * @return the message for the reader
   */
  String failed(int stream, ErrorCode code, String message) {
    String name = name(stream);
    if (code.blame() == Blame.CALLER) {
      log.debug("fetch {}: {}: {}", name, code, message);
    } else {
      log.warn("fetch {}: {}: {}", name, code, message);
    }
    return message + " (fetch " + name + ")";
  }
}

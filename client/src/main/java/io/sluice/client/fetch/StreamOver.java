package io.sluice.client.fetch;

import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/** A stream has ended, or failed; behind everything it delivered. */
final class StreamOver extends Arrival {
  private final ServerFetch fetch;
  private final @Nullable SluiceException cause;
  private final boolean forGood;

  StreamOver(ServerFetch fetch, @Nullable SluiceException cause) {
    this(fetch, cause, false);
  }

  private StreamOver(ServerFetch fetch, @Nullable SluiceException cause, boolean forGood) {
    this.fetch = fetch;
    this.cause = cause;
    this.forGood = forGood;
  }

  /** The server was given up: it is not to be asked again. */
  static StreamOver forGood(ServerFetch fetch, SluiceException cause) {
    return new StreamOver(fetch, cause, true);
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    if (forGood) {
      reader.givenUp(fetch, cause);
    } else {
      reader.streamOver(fetch, cause);
    }
  }
}

package io.sluice.client.fetch;

import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/** A stream has ended, or failed; behind everything it delivered. */
final class StreamOver extends Arrival {
  private final ServerFetch fetch;
  private final @Nullable SluiceException cause;

  StreamOver(ServerFetch fetch, @Nullable SluiceException cause) {
    this.fetch = fetch;
    this.cause = cause;
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    reader.streamOver(fetch, cause);
  }
}

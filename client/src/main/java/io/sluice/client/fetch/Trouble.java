package io.sluice.client.fetch;

/** A server cannot be reached; it is tried again, but others may do meanwhile. */
final class Trouble extends Arrival {
  private final ServerFetch fetch;

  Trouble(ServerFetch fetch) {
    this.fetch = fetch;
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    reader.troubled(fetch);
  }
}

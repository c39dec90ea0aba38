package io.sluice.client.fetch;

/** Time to ask a server again. */
final class Again extends Arrival {
  private final ServerFetch fetch;

  Again(ServerFetch fetch) {
    this.fetch = fetch;
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    reader.again(fetch);
  }
}

package io.sluice.client.fetch;

/** A stream is about to end at a block of a partition that is damaged, or never ended. */
final class Damage extends Arrival {
  private final ServerFetch fetch;
  private final int partition;

  Damage(ServerFetch fetch, int partition) {
    this.fetch = fetch;
    this.partition = partition;
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    reader.damaged(fetch, partition);
  }
}

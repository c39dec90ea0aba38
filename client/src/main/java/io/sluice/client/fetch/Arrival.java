package io.sluice.client.fetch;

/** Something an event loop tells a reader's task. */
abstract class Arrival {
  /** Acts on it; on the task's thread. */
  abstract void deliver(FetchingBlockReader reader);

  /** Frees what it holds, instead of delivering it. Any thread. */
  void discard() {}
}

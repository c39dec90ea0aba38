package io.sluice.client.fetch;

import io.sluice.client.TaskSignal;
import io.sluice.client.connection.ConnectionPool;
import java.util.BitSet;

/** What the rounds of one read share. On the task's thread. */
final class ReadContext {
  private final ConnectionPool connections;
  private final FetchContext client;
  private final long credit;
  private final TaskSignal signal;
  private final BitSet doubted = new BitSet();

  /**
   * @param credit bytes that may be under way
   */
  ReadContext(ConnectionPool connections, FetchContext client, long credit) {
    this.connections = connections;
    this.client = client;
    this.credit = credit;
    this.signal = client.signals().create();
  }

  ConnectionPool connections() {
    return connections;
  }

  FetchContext client() {
    return client;
  }

  /** Bytes that may be under way. */
  long credit() {
    return credit;
  }

  /** What the task waits with. One for all rounds: an engine may remember each that it makes. */
  TaskSignal signal() {
    return signal;
  }

  /** Servers that were in trouble in a round before, by their index in the placement; a view. */
  BitSet doubted() {
    return doubted;
  }
}

package io.sluice.client.push;

import io.sluice.common.error.ErrorCode;

/** What can be done about blocks that a server did not take and that nobody else takes. */
enum Outlook {
  /** The server is away, and its connection waits for it: to be handed back again helps nobody. */
  AWAY,
  /** The server has no room, which others may free. */
  NO_ROOM,
  /** Another member of the set is in the way. */
  OF_OTHERS,
  /** The server is another process by now, of which whoever makes epochs will hear. */
  LATER_LIFE,
  /** The server takes the blocks when they come again. */
  TAKES_THEM,
  /** Nothing. */
  NONE;

  /**
   * @param code that the blocks came back with
   */
  static Outlook of(ErrorCode code) {
    switch (code) {
      case CONNECT_FAILED:
      case CONNECTION_LOST:
      case TIMED_OUT:
      case SHUTTING_DOWN:
      case TOO_MANY_CONNECTIONS:
        return AWAY;
      case NO_MEMORY:
      case NO_DISK_SPACE:
        return NO_ROOM;
      case REPLICA_FAILED:
        return OF_OTHERS;
      case STALE_INCARNATION:
        return LATER_LIFE;
      case PARTITION_FULL:
        return TAKES_THEM;
      default:
        return NONE;
    }
  }
}

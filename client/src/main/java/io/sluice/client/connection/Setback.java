package io.sluice.client.connection;

/** How a connection came to be missing. */
enum Setback {
  /** There was one, and it has ended. */
  CONNECTION_LOST,
  /** An attempt to make one has failed. */
  ATTEMPT_FAILED,
  /** The server itself has refused one, because it has no room. */
  NO_ROOM
}

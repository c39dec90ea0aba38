package io.sluice.integration.wire;

/** Which way a block travels. */
public enum Way {
  /** In PUSH frames, from a client to the server. */
  PUSH,
  /** In DATA frames, from the server to a client. */
  FETCH
}

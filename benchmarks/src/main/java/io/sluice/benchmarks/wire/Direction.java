package io.sluice.benchmarks.wire;

/** Which way blocks go. */
public enum Direction {
  push,
  fetch
}

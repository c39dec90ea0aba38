package io.sluice.benchmarks.wire;

/**
 * What is pushed and fetched.
 *
 * @param blockBytes stored bytes of a block, without its header
 * @param connections between the two processes
 * @param bytes of blocks, headers included, in each direction, at least
 */
public record WireCase(int blockBytes, int connections, long bytes) {
  @Override
  public String toString() {
    return blockBytes / 1024 + " KiB x " + connections;
  }
}

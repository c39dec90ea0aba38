package io.sluice.simulation.network;

/**
 * How bad the network is. Probabilities are per piece of bytes delivered, so a busy connection
 * meets more of them.
 *
 * @param maxDelayNanos longest delay of a piece; delays are skewed towards zero
 * @param maxPieceBytes longest piece; lengths are skewed towards one byte
 * @param windowBytes that may be under way in one direction
 * @param reset probability of a reset of the connection
 * @param stall probability that a direction delivers nothing for a while
 * @param maxStallNanos longest such while
 * @param silence probability that a connection becomes half-open: nothing is delivered any more,
 *     and nobody is told
 * @param flip probability that one bit of block bytes in a piece is another one
 */
public record NetworkFaults(
    long maxDelayNanos,
    int maxPieceBytes,
    int windowBytes,
    double reset,
    double stall,
    long maxStallNanos,
    double silence,
    double flip) {

  /** The same delays and pieces without faults. */
  public NetworkFaults healed() {
    return new NetworkFaults(maxDelayNanos, maxPieceBytes, windowBytes, 0, 0, 1, 0, 0);
  }
}

package io.sluice.benchmarks.wire;

/**
 * What both sides did in one direction of one turn.
 *
 * @param lineNanos a cache line's round trip between the processors, the longer of just before and
 *     just after
 */
public record WireFigures(Moved client, Usage server, double lineNanos) {
  private static final double GB = 1e9;
  private static final double MB = 1e6;
  private static final double NANOS_PER_MILLI = 1e6;

  /** One of the two processes. */
  public enum Side {
    client,
    server
  }

  public double gbps() {
    return client.bytes() / GB / client.seconds();
  }

  public double cpuPerGb(Side side) {
    return usage(side).cpuNanos() / (double) client.bytes();
  }

  public double garbageMbPerGb(Side side) {
    return usage(side).allocatedBytes() / MB / (client.bytes() / GB);
  }

  public double syscallsPerGb(Side side) {
    return usage(side).syscalls() / (client.bytes() / GB);
  }

  public double p50Millis() {
    return client.p50Nanos() / NANOS_PER_MILLI;
  }

  public double p99Millis() {
    return client.p99Nanos() / NANOS_PER_MILLI;
  }

  private Usage usage(Side side) {
    return side == Side.client ? client.usage() : server;
  }
}

package io.sluice.transport;

/** What a server allows its peers. Immutable. */
public final class ConnectionLimits {
  private final int maxConnections;
  private final int maxHandles;
  private final int maxStreams;
  private final int maxBlockBytes;

  /**
   * @param maxConnections at once, unfinished handshakes included
   * @param maxHandles open at once per connection
   * @param maxStreams open at once per connection
   * @param maxBlockBytes largest stored length of a block, at most {@link
   *     TransportLimits#MAX_BLOCK_BYTES}
   */
  public ConnectionLimits(int maxConnections, int maxHandles, int maxStreams, int maxBlockBytes) {
    if (maxConnections < 1 || maxHandles < 1 || maxStreams < 1) {
      throw new IllegalArgumentException("limits must be positive");
    }
    if (maxBlockBytes < 1 || maxBlockBytes > TransportLimits.MAX_BLOCK_BYTES) {
      throw new IllegalArgumentException("maxBlockBytes out of range: " + maxBlockBytes);
    }
    this.maxConnections = maxConnections;
    this.maxHandles = maxHandles;
    this.maxStreams = maxStreams;
    this.maxBlockBytes = maxBlockBytes;
  }

  /** 4096 handles and 1024 streams per connection. */
  public static ConnectionLimits of(int maxConnections, int maxBlockBytes) {
    return new ConnectionLimits(maxConnections, 4096, 1024, maxBlockBytes);
  }

  public int maxConnections() {
    return maxConnections;
  }

  public int maxHandles() {
    return maxHandles;
  }

  public int maxStreams() {
    return maxStreams;
  }

  public int maxBlockBytes() {
    return maxBlockBytes;
  }
}

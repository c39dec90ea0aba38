package io.sluice.client;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.Transport;
import io.sluice.transport.TransportLimits;
import java.time.Duration;

/** Limits and deadlines of one {@link SluiceClient}. Immutable; made by {@link #builder()}. */
public final class ClientConfig {
  /**
   * With less no stream can be sure to get on: its server may always send one full piece while the
   * task is at another.
   */
  public static final long LEAST_READER_CREDIT_BYTES = 2L * TransportLimits.MAX_DATA_BYTES;

  private final Builder values;

  private ClientConfig(Builder values) {
    this.values = values.copy();
  }

  public static Builder builder() {
    return new Builder();
  }

  public static ClientConfig defaults() {
    return builder().build();
  }

  /** Bytes a frame buffer holds; blocks gather in one until it is full. */
  public int frameBytes() {
    return values.frameBytes;
  }

  /** Largest payload of a block that a map output takes. Servers must allow at least as much. */
  public int maxBlockBytes() {
    return values.maxBlockBytes;
  }

  /** Frame memory that one map output may hold: open, queued and unacknowledged, in bytes. */
  public long maxInFlightBytes() {
    return values.maxInFlightBytes;
  }

  /** Bytes that servers may have under way to one reader, over all its streams. */
  public long readerCreditBytes() {
    return values.readerCreditBytes;
  }

  /**
   * Bytes of records that span blocks which all readers together hold until those are whole: what
   * the longest may come to, as it is stored. Half of it is for what maps write at the same time.
   */
  public long maxSpanningRecordBytes() {
    return values.maxSpanningRecordBytes;
  }

  /** What carries connections to servers; all of them must offer it. */
  public Transport transport() {
    return values.transport;
  }

  /** Connections to each server, 1 to 4; shuffles are hashed over them. */
  public int connectionsPerServer() {
    return values.connectionsPerServer;
  }

  public int eventLoops() {
    return values.eventLoops;
  }

  /**
   * How long pushed blocks, or a stream somebody waits for, may see no progress at all, whether the
   * server is connected or not. If it is shorter than {@link #reconnectDeadline}, it comes first:
   * what waits is failed, and the connection is tried again for whoever comes next. As long a
   * server is tried that refuses connections because it has no room. It does not count while a
   * server is known to come back.
   */
  public Duration blockDeadline() {
    return values.blockDeadline;
  }

  /**
   * How long a server may say nothing at all before blocks that it has not answered go to another
   * one, if the engine names one. It is asked for a sign of life three times in that while.
   */
  public Duration suspectAfter() {
    return values.suspectAfter;
  }

  /**
   * How long a lost or refused connection is tried again before its server counts as gone, unless
   * whoever makes placements knows that it comes back.
   */
  public Duration reconnectDeadline() {
    return values.reconnectDeadline;
  }

  /** How long finding and opening a connection may take; its handshake may take as long again. */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /** How long a connection keeps credit above the seed that it has no use for. */
  public Duration idleCreditTimeout() {
    return values.idleCreditTimeout;
  }

  /** Collects values; every one has a default that needs no touching. */
  public static final class Builder {
    // 320 KiB is a size class of Netty's pools, and room for a block of 256 KiB that does not
    // compress, with its codec's bound and header.
    private int frameBytes = 320 * 1024;
    private int maxBlockBytes = 2 * 1024 * 1024;
    private long maxInFlightBytes = 8L << 20;
    private long readerCreditBytes = 16L << 20;
    private long maxSpanningRecordBytes = 512L << 20;
    private Transport transport = Transport.NETTY;
    private int connectionsPerServer = 1;
    private int eventLoops =
        Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 4));
    private Duration blockDeadline = Duration.ofMinutes(2);
    private Duration suspectAfter = Duration.ofSeconds(5);
    private Duration reconnectDeadline = Duration.ofSeconds(30);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration idleCreditTimeout = Duration.ofSeconds(2);

    private Builder() {}

    public Builder frameBytes(int bytes) {
      frameBytes = bytes;
      return this;
    }

    public Builder maxBlockBytes(int bytes) {
      maxBlockBytes = bytes;
      return this;
    }

    public Builder maxInFlightBytes(long bytes) {
      maxInFlightBytes = bytes;
      return this;
    }

    public Builder readerCreditBytes(long bytes) {
      readerCreditBytes = bytes;
      return this;
    }

    public Builder maxSpanningRecordBytes(long bytes) {
      maxSpanningRecordBytes = bytes;
      return this;
    }

    public Builder transport(Transport kind) {
      transport = kind;
      return this;
    }

    public Builder connectionsPerServer(int count) {
      connectionsPerServer = count;
      return this;
    }

    public Builder eventLoops(int count) {
      eventLoops = count;
      return this;
    }

    public Builder blockDeadline(Duration deadline) {
      blockDeadline = deadline;
      return this;
    }

    public Builder suspectAfter(Duration silence) {
      suspectAfter = silence;
      return this;
    }

    public Builder reconnectDeadline(Duration deadline) {
      reconnectDeadline = deadline;
      return this;
    }

    public Builder connectTimeout(Duration timeout) {
      connectTimeout = timeout;
      return this;
    }

    public Builder idleCreditTimeout(Duration timeout) {
      idleCreditTimeout = timeout;
      return this;
    }

    /**
     * Checks the values together.
     *
     * @throws SluiceException INVALID_CONFIGURATION naming the first that does not fit
     */
    public ClientConfig build() {
      require(
          frameBytes >= 4096 && frameBytes <= TransportLimits.MAX_PUSH_BYTES,
          "frameBytes must be 4096 to " + TransportLimits.MAX_PUSH_BYTES);
      require(
          maxBlockBytes >= 1 && maxBlockBytes <= TransportLimits.MAX_BLOCK_BYTES,
          "maxBlockBytes must be 1 to " + TransportLimits.MAX_BLOCK_BYTES);
      require(
          maxInFlightBytes >= 2L * Math.max(frameBytes, maxBlockBytes + BlockHeader.LENGTH),
          "maxInFlightBytes must hold two frames and two of the largest blocks");
      require(
          readerCreditBytes >= LEAST_READER_CREDIT_BYTES,
          "readerCreditBytes must be at least " + LEAST_READER_CREDIT_BYTES);
      require(maxSpanningRecordBytes >= 0, "maxSpanningRecordBytes must not be negative");
      require(
          connectionsPerServer >= 1 && connectionsPerServer <= 4,
          "connectionsPerServer must be 1 to 4");
      require(eventLoops >= 1, "eventLoops must be at least 1");
      requirePositive(blockDeadline, "blockDeadline");
      requirePositive(suspectAfter, "suspectAfter");
      requirePositive(reconnectDeadline, "reconnectDeadline");
      requirePositive(connectTimeout, "connectTimeout");
      requirePositive(idleCreditTimeout, "idleCreditTimeout");
      return new ClientConfig(this);
    }

    private static void requirePositive(Duration duration, String name) {
      require(!duration.isNegative() && !duration.isZero(), name + " must be above zero");
    }

    private static void require(boolean holds, String message) {
      if (!holds) {
        throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, message);
      }
    }

    private Builder copy() {
      return builder()
          .frameBytes(frameBytes)
          .maxBlockBytes(maxBlockBytes)
          .maxInFlightBytes(maxInFlightBytes)
          .readerCreditBytes(readerCreditBytes)
          .maxSpanningRecordBytes(maxSpanningRecordBytes)
          .transport(transport)
          .connectionsPerServer(connectionsPerServer)
          .eventLoops(eventLoops)
          .blockDeadline(blockDeadline)
          .suspectAfter(suspectAfter)
          .reconnectDeadline(reconnectDeadline)
          .connectTimeout(connectTimeout)
          .idleCreditTimeout(idleCreditTimeout);
    }
  }
}

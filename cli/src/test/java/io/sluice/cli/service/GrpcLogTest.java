package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcLogTest {
  @AfterEach
  void asBefore() {
    Logger.getLogger("io.grpc").setLevel(null);
  }

  @Test
  void strangersDoNotFillTheLog() {
    // The two that tell of broken streams and of broken connections.
    Logger streams = Logger.getLogger("io.grpc.netty.NettyServerHandler");
    Logger connections = Logger.getLogger("io.grpc.netty.NettyServerTransport.connections");
    assertThat(streams.isLoggable(Level.WARNING)).isTrue();

    GrpcLog.quiet();

    assertThat(streams.isLoggable(Level.WARNING)).isFalse();
    assertThat(connections.isLoggable(Level.INFO)).isFalse();
    assertThat(streams.isLoggable(Level.SEVERE)).isTrue();
  }
}

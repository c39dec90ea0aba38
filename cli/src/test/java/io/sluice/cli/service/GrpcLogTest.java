package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GrpcLogTest {
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  // Tests of services that ran in this JVM have made it quiet.
  private final @Nullable Level before = GRPC.getLevel();

  @BeforeEach
  void asGrpcHasIt() {
    GRPC.setLevel(null);
  }

  @AfterEach
  void asBefore() {
    GRPC.setLevel(before);
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

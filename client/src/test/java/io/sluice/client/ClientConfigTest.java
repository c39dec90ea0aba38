package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.Transport;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ClientConfigTest {
  @Test
  void hasDefaultsThatFitTogether() {
    ClientConfig config = ClientConfig.defaults();
    assertThat(config.frameBytes()).isEqualTo(320 * 1024);
    assertThat(config.maxBlockBytes()).isEqualTo(2 << 20);
    assertThat(config.maxInFlightBytes()).isEqualTo(8 << 20);
    assertThat(config.readerCreditBytes()).isEqualTo(16 << 20);
    assertThat(config.maxSpanningRecordBytes()).isEqualTo(512L << 20);
    assertThat(config.connectionsPerServer()).isEqualTo(1);
    assertThat(config.transport()).isEqualTo(Transport.NETTY);
    assertThat(config.eventLoops()).isBetween(1, 4);
    assertThat(config.blockDeadline()).isEqualTo(Duration.ofMinutes(2));
    assertThat(config.reconnectDeadline()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.idleCreditTimeout()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void doesNotChangeWithItsBuilder() {
    ClientConfig.Builder builder = ClientConfig.builder().connectionsPerServer(2);
    ClientConfig config = builder.build();
    builder.connectionsPerServer(3);
    assertThat(config.connectionsPerServer()).isEqualTo(2);
  }

  @Test
  void namesTheValueThatDoesNotFit() {
    assertRefused("frameBytes", b -> b.frameBytes(100));
    assertRefused("maxBlockBytes", b -> b.maxBlockBytes(17 << 20));
    assertRefused("maxInFlightBytes", b -> b.maxInFlightBytes(1 << 20));
    assertRefused("readerCreditBytes", b -> b.readerCreditBytes(1));
    assertRefused("maxSpanningRecordBytes", b -> b.maxSpanningRecordBytes(-1));
    assertRefused("connectionsPerServer", b -> b.connectionsPerServer(5));
    assertRefused("eventLoops", b -> b.eventLoops(0));
    assertRefused("blockDeadline", b -> b.blockDeadline(Duration.ZERO));
    assertRefused("reconnectDeadline", b -> b.reconnectDeadline(Duration.ZERO));
    assertRefused("connectTimeout", b -> b.connectTimeout(Duration.ZERO));
    assertRefused("idleCreditTimeout", b -> b.idleCreditTimeout(Duration.ZERO));
  }

  private static void assertRefused(String name, UnaryOperator<ClientConfig.Builder> change) {
    assertThatThrownBy(() -> change.apply(ClientConfig.builder()).build())
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(name);
  }
}

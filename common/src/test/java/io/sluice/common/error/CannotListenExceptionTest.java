package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class CannotListenExceptionTest {
  @Test
  void saysThatAPortIsInUseHoweverDeepTheCauseLies() throws Exception {
    try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress taken = (InetSocketAddress) first.getLocalSocketAddress();

      CannotListenException why =
          CannotListenException.of(taken, new IOException("Failed to bind", refusalOf(taken)));

      assertThat(why.code()).isEqualTo(ErrorCode.ADDRESS_IN_USE);
      assertThat(why.chosenBy("some.port"))
          .hasMessageContaining("some.port: cannot listen on ")
          .hasMessageContaining(":" + first.getLocalPort() + ": the port is in use");
    }
  }

  @Test
  void takesAnAddressOfAnotherMachineForWrongConfiguration() throws Exception {
    // 192.0.2.0/24 is for documentation (RFC 5737) and nobody's.
    InetAddress nobodys = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1});
    InetSocketAddress elsewhere = new InetSocketAddress(nobodys, 0);

    CannotListenException why = CannotListenException.of(elsewhere, refusalOf(elsewhere));

    assertThat(why.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(why.detail()).startsWith("cannot listen on 192.0.2.1:0: ");
  }

  @Test
  void passesOnWhatElseStandsInTheWay() {
    CannotListenException why =
        CannotListenException.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80),
            new IOException("Failed to bind", new IOException("Permission denied")));

    assertThat(why.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(why.detail()).endsWith(":80: Permission denied");
  }

  private static IOException refusalOf(InetSocketAddress address) {
    return catchThrowableOfType(
        IOException.class,
        () -> {
          try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address);
          }
        });
  }
}

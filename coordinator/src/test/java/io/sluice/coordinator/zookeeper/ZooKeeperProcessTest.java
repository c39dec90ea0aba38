package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class ZooKeeperProcessTest {
  @Test
  void aPortThatIsHeldCanBeListenedOnByWhoeverIsToldOfIt() throws Exception {
    try (Socket held = ZooKeeperProcess.hold();
        ServerSocket told =
            new ServerSocket(held.getLocalPort(), 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), told.getLocalPort())) {
      assertThat(client.isConnected()).isTrue();
    }
  }

  @Test
  void aPortThatIsHeldIsNobodyElses() throws Exception {
    try (Socket held = ZooKeeperProcess.hold();
        Socket other = new Socket()) {
      other.setReuseAddress(false);
      assertThatThrownBy(
              () ->
                  other.bind(
                      new InetSocketAddress(InetAddress.getLoopbackAddress(), held.getLocalPort())))
          .isInstanceOf(BindException.class);
    }
  }
}

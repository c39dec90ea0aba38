package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnsembleProbeTest {
  private static ServerSocket member() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static HostPort address(ServerSocket member) {
    return HostPort.parse("127.0.0.1:" + member.getLocalPort());
  }

  @Test
  void isUnreachableIfNoMemberTakesConnections() throws IOException {
    ServerSocket gone = member();
    gone.close();
    try (ServerSocket there = member()) {
      assertThat(EnsembleProbe.unreachable(List.of(address(gone))))
          .hasValueSatisfying(
              said -> assertThat(said).contains(address(gone) + ": ", "does ZooKeeper run there"));
      assertThat(EnsembleProbe.unreachable(List.of(address(gone), address(there)))).isEmpty();
    }
  }

  @Test
  void describesEachMember() throws IOException {
    ServerSocket gone = member();
    gone.close();
    try (ServerSocket there = member()) {
      assertThat(EnsembleProbe.describe(address(gone) + "," + address(there)))
          .contains(address(gone) + ": ", "does ZooKeeper run there")
          .contains(address(there) + ": takes connections and no sessions");
    }
  }
}

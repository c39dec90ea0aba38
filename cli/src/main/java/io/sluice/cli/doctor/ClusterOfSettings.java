package io.sluice.cli.doctor;

import io.sluice.cli.cluster.ClusterOptions;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.tls.TlsFiles;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** Where the cluster is that a process is of, and how it is asked, as its settings say. */
final class ClusterOfSettings {
  private ClusterOfSettings() {}

  /**
   * What a server's file says; of a coordinator's, how itself is reached.
   *
   * @param settings right ones
   */
  static ClusterOptions.Found of(Settings settings, boolean ofServer) {
    List<String> coordinators =
        ofServer
            ? settings.get(ServerConfig.COORDINATORS).stream().map(HostPort::toString).toList()
            : itself(settings);
    boolean secured = settings.get(SecurityConfig.ENABLED);
    boolean encrypted = settings.get(SecurityConfig.TLS_CERTIFICATE_FILE).isPresent();
    return new ClusterOptions.Found(
        coordinators,
        secured ? settings.get(SecurityConfig.CLUSTER_KEY_FILE) : Optional.empty(),
        encrypted
            ? Optional.of(
                new TlsFiles(
                    settings.get(SecurityConfig.TLS_CERTIFICATE_FILE),
                    settings.get(SecurityConfig.TLS_KEY_FILE),
                    settings.get(SecurityConfig.TLS_TRUST_FILE)))
            : Optional.empty());
  }

  /** By the name that it gives others, which is the one in its certificate. */
  private static List<String> itself(Settings settings) {
    int port = settings.get(CoordinatorConfig.PORT);
    String bound = settings.get(CoordinatorConfig.BIND_ADDRESS);
    String host =
        settings
            .get(CoordinatorConfig.HOST)
            .orElseGet(() -> isLoopback(bound) ? bound : Coordinator.hostName());
    return port == 0 ? List.of() : List.of(new HostPort(host, port).toString());
  }

  /** Nobody else can reach it then, whatever its name is. */
  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}

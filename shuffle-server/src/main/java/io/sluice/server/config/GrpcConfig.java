package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.Settings;
import java.util.List;
import java.util.Optional;

/**
 * Whether, and where, clients are served over gRPC as well.
 *
 * @param port to listen on, 0 for any free one; empty: plain sockets only
 * @param advertisedPort under which clients reach it; empty: the port that was bound
 */
public record GrpcConfig(Optional<Integer> port, Optional<Integer> advertisedPort) {
  public static final ConfigKey<Optional<Integer>> PORT =
      ConfigKey.integer("server.grpc.port")
          .doc(
              "Data port for clients that set spark.sluice.transport=grpc, for networks that only"
                  + " admit HTTP/2. 0 takes any free one. It takes 256 KiB of server.memory for"
                  + " each of server.connections.max. Without it, the server speaks no gRPC.")
          .between("0", "65535")
          .optional();
  public static final ConfigKey<Optional<Integer>> ADVERTISED_PORT =
      ConfigKey.integer("server.grpc.advertised-port")
          .doc(
              "Port under which gRPC clients reach this server, where a proxy, NAT or a port"
                  + " mapping is in between. Without it, the gRPC port.")
          .between("1", "65535")
          .optional();

  static final List<ConfigKey<?>> KEYS = List.of(PORT, ADVERTISED_PORT);

  static final ConfigCheck CHECK =
      ConfigCheck.over(
          KEYS,
          (settings, problems) -> {
            if (settings.get(ADVERTISED_PORT).isPresent() && settings.get(PORT).isEmpty()) {
              problems.accept(ADVERTISED_PORT + " needs " + PORT);
            }
          });

  static GrpcConfig from(Settings settings) {
    return new GrpcConfig(settings.get(PORT), settings.get(ADVERTISED_PORT));
  }
}

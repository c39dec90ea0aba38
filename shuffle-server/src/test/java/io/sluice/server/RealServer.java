package io.sluice.server;

import com.google.protobuf.ByteString;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.security.SecurityConfig;
import io.sluice.proto.control.v1.ApplicationVerifier;
import io.sluice.proto.control.v1.ApplicationVerifiers;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A server with both data ports, two event loops and no disks, and its coordinator. */
final class RealServer implements AutoCloseable {
  private final FakeCoordinator coordinator;
  private final ShuffleServer server;

  private RealServer(int places, SecurityConfig security) throws IOException {
    coordinator = new FakeCoordinator();
    server =
        ShuffleServer.start(
            ServerConfig.from(
                new ConfigReader(List.of(ServerConfig.SECTION))
                    .values(
                        "test",
                        Map.of(
                            "server.memory", "1600m",
                            "server.bind-address", "127.0.0.1",
                            "server.host", "localhost",
                            "server.port", "0",
                            "server.grpc.port", "0",
                            "server.http.port", "0",
                            "server.event-loops", "2",
                            "server.connections.max", "" + places,
                            "server.coordinators", coordinator.address().toString()))
                    .read()),
            security);
  }

  /** One that asks nobody for a proof. */
  static RealServer open(int places) throws IOException {
    return new RealServer(places, SecurityConfig.off());
  }

  /**
   * One that believes only who proves himself, and has been told of no application yet.
   *
   * @param directory for the cluster's key
   */
  static RealServer secured(int places, Path directory) throws Exception {
    Path key = Files.writeString(directory.resolve("cluster.key"), Secret.random());
    RealServer secured =
        new RealServer(
            places,
            SecurityConfig.from(
                new ConfigReader(List.of(SecurityConfig.SECTION))
                    .values(
                        "test",
                        Map.of(
                            "security.enabled",
                            "true",
                            "security.cluster-key-file",
                            key.toString()))
                    .read()));
    if (!secured.coordinator.hello().getHello().getWantsVerifiers()) {
      throw new AssertionError("the server wants no verifiers");
    }
    return secured;
  }

  /** Has the server know applications from now on, these and no others. */
  void admit(Map<ApplicationId, Secret> applications) {
    ApplicationVerifiers.Builder all =
        ApplicationVerifiers.newBuilder().setFirst(true).setLast(true);
    applications.forEach((application, secret) -> all.addVerifiers(verifier(application, secret)));
    coordinator.send(ServerDirective.newBuilder().setApplicationVerifiers(all).build());
  }

  private static ApplicationVerifier verifier(ApplicationId application, Secret secret) {
    byte[] verifier = Keys.ofApplication(application, secret).verifier().encode();
    return ApplicationVerifier.newBuilder()
        .setApplication(Uuid.newBuilder().setHigh(application.high()).setLow(application.low()))
        .setVerifier(ByteString.copyFrom(verifier))
        .build();
  }

  int port(Transport transport) {
    return transport == Transport.NETTY ? server.port() : server.grpcPort().orElseThrow();
  }

  ServerCore core() {
    return server.core();
  }

  @Override
  public void close() {
    server.close();
    coordinator.close();
  }
}

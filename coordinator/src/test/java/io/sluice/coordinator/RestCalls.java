package io.sluice.coordinator;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Secret;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.proto.auth.ControlKey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Real coordinators that ask for tokens over HTTP and the cluster's key over gRPC. */
final class RestCalls {
  static final String READER = "the-token-of-readers";
  static final String ADMIN = "the-token-of-admins";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path directory;
  private final Path key;

  RestCalls(Path directory) throws IOException {
    this.directory = directory;
    this.key = Files.writeString(directory.resolve("cluster.key"), Secret.random());
    Files.writeString(directory.resolve("read.token"), READER);
    Files.writeString(directory.resolve("admin.token"), ADMIN);
  }

  /** Starts one; with settings besides those of tokens and security. */
  Coordinator start(String name, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("coordinator.http.read-token-file", directory.resolve("read.token").toString());
    settings.put("coordinator.http.admin-token-file", directory.resolve("admin.token").toString());
    Map<String, String> security =
        Map.of("security.enabled", "true", "security.cluster-key-file", key.toString());
    return Coordinator.start(
        TestCoordinators.config(directory.resolve(name), settings),
        SecurityConfig.from(
            new ConfigReader(List.of(SecurityConfig.SECTION)).values("test", security).read()));
  }

  /** As a member of the cluster. */
  ManagedChannel member(Coordinator coordinator) {
    return NettyChannelBuilder.forAddress("127.0.0.1", coordinator.address().port())
        .usePlaintext()
        .intercept(ControlKey.attach(ClusterKey.read(key).own().controlKey()))
        .build();
  }

  static void close(ManagedChannel channel) throws InterruptedException {
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
  }

  /**
   * One call over HTTP.
   *
   * @param token may be empty
   */
  HttpResponse<String> call(Coordinator coordinator, String token, String method, String path)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + coordinator.httpPort() + "/api/v1" + path))
            .timeout(PATIENCE)
            .method(method, BodyPublishers.noBody());
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  /** Asks until somebody leads, and this coordinator knows who. */
  void awaitLeader(Coordinator coordinator) throws IOException, InterruptedException {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    HttpResponse<String> answer;
    do {
      answer = call(coordinator, READER, "GET", "/cluster");
      if (Clock.system().nanoTime() > deadline) {
        throw new AssertionError("no leader within " + PATIENCE + ": " + answer.body());
      }
    } while (answer.statusCode() == 503);
  }
}

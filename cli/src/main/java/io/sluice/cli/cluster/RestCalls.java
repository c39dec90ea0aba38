package io.sluice.cli.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Calls of the REST interface over gRPC, so with its keys and its encryption, to whoever leads. */
public final class RestCalls {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final long DEADLINE_SECONDS = 10;
  private static final int PART = 1_000;

  /** The status of who cannot answer now, and may in a moment. */
  private static final int NOT_NOW = 503;

  /** Leaves each server 16 KB of the 4 MiB that gRPC takes: 50 disks with names of 100 letters. */
  private static final int PART_OF_SERVERS = 250;

  private final CoordinatorChannels channels;
  private final List<String> coordinators;
  private final Duration patience;
  private final LeaderWait wait = new LeaderWait(Clock.system(), System.err::println);

  /**
   * @param coordinators host:port of each; the leader need not be among them
   * @param patience how long to ask again while none of them leads
   */
  RestCalls(CoordinatorChannels channels, List<String> coordinators, Duration patience) {
    this.channels = channels;
    this.coordinators = List.copyOf(coordinators);
    this.patience = patience;
  }

  /** A part of a path from what somebody typed. */
  static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * @param path below /api/v1
   * @throws CommandFailedException if it is refused or nobody answers
   */
  JsonNode get(String path) {
    return call("GET", path, "", "");
  }

  /** The same with parameters. */
  JsonNode get(String path, String query) {
    return call("GET", path, query, "");
  }

  /** All servers. */
  ArrayNode servers() {
    return list("/servers", "", PART_OF_SERVERS);
  }

  /** All parts of a list. */
  ArrayNode list(String path, String query) {
    return list(path, query, PART);
  }

  private ArrayNode list(String path, String query, int limit) {
    ArrayNode all = JSON.createArrayNode();
    String after = "";
    do {
      String more = query.isEmpty() ? "" : "&" + query;
      JsonNode page = call("GET", path, "limit=" + limit + "&after=" + part(after) + more, "");
      page.path("items").forEach(all::add);
      after = page.path("next").asText("");
    } while (!after.isEmpty());
    return all;
  }

  /** Changes something; nothing comes back. */
  void change(String method, String path, String body) {
    call(method, path, "", body);
  }

  /**
   * Replaces an object by what a change makes of it, which it is read for right before each
   * attempt: a wait in between would be long enough for another operator's change.
   */
  void update(String path, UnaryOperator<ObjectNode> change) {
    ask(
        () -> request("PUT", path, "", change.apply((ObjectNode) get(path)).toString()),
        new LeaderWait(Clock.system(), System.err::println));
  }

  private JsonNode call(String method, String path, String query, String body) {
    RestCall request = request(method, path, query, body);
    return ask(() -> request, wait);
  }

  static RestCall request(String method, String path, String query, String body) {
    return RestCall.newBuilder()
        .setMethod(method)
        .setPath("/api/v1" + path)
        .setQuery(query)
        .setBody(ByteString.copyFromUtf8(body))
        .build();
  }

  /**
   * @param requests made anew for each round through the coordinators
   */
  private JsonNode ask(Supplier<RestCall> requests, LeaderWait wait) {
    while (true) {
      RestCall request = requests.get();
      LeaderSearch search = new LeaderSearch(coordinators);
      for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
        Optional<RestAnswer> answer = ask(next.get(), request, search);
        if (answer.isPresent()) {
          wait.answered();
          return read(answer.get());
        }
      }
      if (!search.isElecting() || !wait.again(patience, search.trouble())) {
        throw search.nobodyAnswers();
      }
    }
  }

  private Optional<RestAnswer> ask(String coordinator, RestCall request, LeaderSearch search) {
    ManagedChannel channel = channels.to(coordinator);
    try {
      RestAnswer answer =
          ClusterServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
              .callRest(request);
      if (answer.getStatus() == NOT_NOW) {
        search.notNow(coordinator, code(answer), refusal(answer));
        return Optional.empty();
      }
      return Optional.of(answer);
    } catch (StatusRuntimeException failure) {
      search.failed(coordinator, failure);
      return Optional.empty();
    } finally {
      channel.shutdownNow();
    }
  }

  private static JsonNode read(RestAnswer answer) {
    if (answer.getStatus() >= 200 && answer.getStatus() < 300) {
      return parse(answer.getBody().toByteArray());
    }
    throw new CommandFailedException(ExitCode.FAILED, refusal(answer));
  }

  private static String code(RestAnswer answer) {
    return parse(answer.getBody().toByteArray()).path("error").path("code").asText("?");
  }

  private static String refusal(RestAnswer answer) {
    JsonNode error = parse(answer.getBody().toByteArray()).path("error");
    return error.path("message").asText("status " + answer.getStatus())
        + " ("
        + error.path("code").asText("?")
        + ")";
  }

  static JsonNode parse(byte[] body) {
    try {
      return body.length == 0 ? JSON.createObjectNode() : JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new CommandFailedException(ExitCode.SOFTWARE, "the answer is no JSON: " + e, e);
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory cannot be read", e);
    }
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }
}

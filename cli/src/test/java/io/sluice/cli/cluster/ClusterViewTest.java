package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.cli.Sluices;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.control.v1.ServerInfo;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a coordinator of many servers with many disks, which it also gives as one message. */
class ClusterViewTest {
  private static final int SERVERS = 5_000;
  private static final int DISKS = 12;
  private static final String AWAY = new UUID(7, 7).toString();
  private static final Pattern PAGE = Pattern.compile("limit=(\\d+)&after=(.*)");

  @SuppressWarnings("NullAway.Init")
  private Server coordinator;

  @BeforeEach
  void start() throws IOException {
    coordinator = NettyServerBuilder.forPort(0).addService(new Large()).build().start();
  }

  @AfterEach
  void stop() {
    coordinator.shutdownNow();
  }

  private static String path(int disk) {
    return "/mnt/disks/by-id/ata-something-long-of-some-maker-" + disk + "/sluice/data";
  }

  private static String device(int disk) {
    return "/dev/disk/by-id/ata-something-long-of-some-maker-" + disk;
  }

  private static final class Large extends ClusterServiceGrpc.ClusterServiceImplBase {
    @Override
    public void getCluster(GetClusterRequest request, StreamObserver<GetClusterResponse> caller) {
      ServerInfo.Builder server = ServerInfo.newBuilder();
      for (int disk = 0; disk < DISKS; disk++) {
        server
            .getLoadBuilder()
            .addDisks(DiskLoad.newBuilder().setPath(path(disk)).setFileSystem(device(disk)));
      }
      GetClusterResponse.Builder all = GetClusterResponse.newBuilder();
      for (int i = 0; i < SERVERS; i++) {
        all.addServers(server);
      }
      caller.onNext(all.build());
      caller.onCompleted();
    }

    @Override
    public void callRest(RestCall call, StreamObserver<RestAnswer> caller) {
      ObjectNode answer =
          switch (call.getPath()) {
            case "/api/v1/cluster" -> overview();
            case "/api/v1/servers" -> servers(call.getQuery());
            case "/api/v1/applications" -> applications();
            default -> throw new AssertionError(call.getPath());
          };
      caller.onNext(
          RestAnswer.newBuilder()
              .setStatus(200)
              .setBody(ByteString.copyFromUtf8(answer.toString()))
              .build());
      caller.onCompleted();
    }

    private static ObjectNode overview() {
      ObjectNode overview = RestCalls.object().put("leader", "here:7400").put("term", 3);
      overview.putArray("drains_away").add(AWAY);
      ArrayNode coordinators = overview.putArray("coordinators");
      coordinators.addObject().put("address", "here:7400").put("leads", true);
      coordinators.addObject().put("address", "there:7400").put("leads", false);
      return overview;
    }

    private static ObjectNode applications() {
      ObjectNode page = RestCalls.object();
      page.putArray("items")
          .addObject()
          .put("id", new UUID(1, 1).toString())
          .put("engine_id", "app-1")
          .put("user", "ada")
          .put("shuffles", 2);
      return page;
    }

    private static ObjectNode servers(String query) {
      Matcher asked = PAGE.matcher(query);
      assertThat(asked.matches()).as(query).isTrue();
      int limit = Integer.parseInt(asked.group(1));
      long after =
          asked.group(2).isEmpty() ? 0 : UUID.fromString(asked.group(2)).getLeastSignificantBits();
      ObjectNode page = RestCalls.object();
      ArrayNode items = page.putArray("items");
      for (long i = after + 1; i <= Math.min(SERVERS, after + limit); i++) {
        items.add(server(i));
      }
      if (after + limit < SERVERS) {
        page.put("next", new UUID(0, after + limit).toString());
      }
      return page;
    }

    private static ObjectNode server(long number) {
      ObjectNode server =
          RestCalls.object()
              .put("id", new UUID(0, number).toString())
              .put("state", number == 1 ? "DRAINING" : "ACTIVE")
              .put("draining", number == 1)
              .put("drained", number == 1)
              .put("excluded", number == 3)
              .put("reported", number != 4)
              .put("zone", "eu-1")
              .put("rack", "r9");
      server.putArray("tags").add("nvme");
      server.putObject("life").put("incarnation", 5).put("intact_since", 4);
      server
          .putObject("address")
          .put("host", "host-" + number)
          .put("port", 7402)
          .put("http", "host-" + number + ":7403");
      ObjectNode load =
          server
              .putObject("load")
              .put("memory_capacity_bytes", 64)
              .put("memory_used_bytes", 32)
              .put("connections", 11)
              .put("partitions", 12)
              .put("pushed_bytes", 13)
              .put("fetched_bytes", 14)
              .put("spilled_bytes", 15);
      ArrayNode disks = load.putArray("disks");
      for (int disk = 0; disk < DISKS; disk++) {
        disks
            .addObject()
            .put("path", path(disk))
            .put("capacity_bytes", 100)
            .put("free_bytes", 50)
            // The fifth server has a broken disk.
            .put("healthy", number != 5 || disk > 0)
            .put("file_system", device(disk));
      }
      return server;
    }
  }

  private String run(String... command) {
    String[] all = Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--coordinator";
    all[command.length + 1] = "localhost:" + coordinator.getPort();
    Sluices.Outcome outcome = Sluices.run(all);
    assertThat(outcome).matches(Sluices.Outcome::isOk);
    return outcome.out();
  }

  @Test
  void listsMoreServersThanAMessageHolds() {
    assertThat(run("server", "list").lines())
        .as("with the heading and the one that is away")
        .hasSize(1 + SERVERS + 1)
        .anyMatch(line -> line.matches(".*DRAINING +done +host-1:7402 .*eu-1/r9 \\[nvme] .*"))
        .anyMatch(line -> line.matches(".*ACTIVE +yes +host-3:7402 .*"))
        .anyMatch(line -> line.matches(".*ACTIVE +host-2:7402 .* 12 +11 *"))
        .anyMatch(line -> line.matches(".*ACTIVE +host-4:7402 .* \\? +\\? +\\? +\\? +\\? +\\? *"))
        .anyMatch(line -> line.matches(".*host-2:7402 .* 12 of 12 +600 B +12 +11 *"))
        .anyMatch(line -> line.matches(".*host-5:7402 .* 11 of 12 +550 B +12 +11 *"))
        .anyMatch(line -> line.matches(AWAY + " +UNKNOWN +wanted *"));
  }

  @Test
  void isOneDocumentForPrograms() throws IOException {
    JsonNode list = new ObjectMapper().readTree(run("server", "list", "-o", "json"));

    assertThat(list.path("leader").asText()).isEqualTo("here:7400");
    assertThat(list.path("term").asLong()).isEqualTo(3);
    assertThat(list.path("servers")).hasSize(SERVERS + 1);
    JsonNode second =
        new ObjectMapper()
            .readTree(
                """
                {"server": "00000000-0000-0000-0000-000000000002", "incarnation": 5,
                "intact_since": 4, "state": "ACTIVE", "drained": false, "excluded": false,
                "address": "host-2:7402", "zone": "eu-1", "rack": "r9", "tags": ["nvme"],
                "http": "host-2:7403", "reported": true, "memory_used_bytes": 32, "memory_capacity_bytes": 64,
                "disks": 12, "disks_working": 12, "disk_capacity_bytes": 1200, "disk_free_bytes": 600, "partitions": 12,
                "connections": 11, "pushed_bytes": 13, "fetched_bytes": 14, "spilled_bytes": 15,
                "decommissioned": false}
                """);
    assertThat(list.path("servers").path(1)).isEqualTo(second);
    assertThat(list.path("servers").path(2).path("excluded").asBoolean()).isTrue();
    assertThat(list.path("servers").path(4).path("disks_working").asInt()).isEqualTo(11);
    assertThat(list.path("servers").path(4).path("disk_free_bytes").asLong()).isEqualTo(550);
    assertThat(list.path("servers").path(SERVERS).path("server").asText()).isEqualTo(AWAY);
    assertThat(list.has("applications")).isFalse();
  }

  @Test
  void theStatusHasApplicationsToo() throws IOException {
    JsonNode status = new ObjectMapper().readTree(run("cluster", "status", "-o", "json"));
    JsonNode application =
        new ObjectMapper()
            .createObjectNode()
            .put("application", new UUID(1, 1).toString())
            .put("engine_id", "app-1")
            .put("user", "ada")
            .put("shuffles", 2);
    assertThat(status.path("leader").asText()).isEqualTo("here:7400");
    assertThat(status.path("servers")).hasSize(SERVERS + 1);
    assertThat(status.path("applications")).containsExactly(application);
    assertThat(status.path("coordinators"))
        .hasToString(
            "[{\"address\":\"here:7400\",\"leads\":true},"
                + "{\"address\":\"there:7400\",\"leads\":false}]");
  }

  @Test
  void showsTheWholeCluster() {
    assertThat(run("cluster", "status"))
        .startsWith("leader here:7400, term 3\ncoordinators here:7400, there:7400\n\nSERVER")
        .contains("host-5000:7402", "app-1", "ada");
  }
}

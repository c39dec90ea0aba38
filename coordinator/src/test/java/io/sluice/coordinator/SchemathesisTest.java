package io.sluice.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.ManagedChannel;
import io.sluice.client.ClientSecurity;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Schemathesis reads the published document and asks a real coordinator what it makes up from that,
 * right and wrong, for half of the names what is there.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SchemathesisTest {
  private static final int SERVERS = 3;
  private static final int APPLICATIONS = 20;
  private static final String VERSION = "4.32.5";

  /** Beyond what it may ask for: to start, to read the document, to write its report. */
  private static final int MARGIN_SECONDS = 40;

  private final Path directory;
  private final RestCalls rest;
  private final Path program;
  private final Coordinator coordinator;
  private final ManagedChannel members;
  private final List<AutoCloseable> applications = new ArrayList<>();

  SchemathesisTest(@TempDir Path directory) throws IOException {
    Optional<Path> found = program();
    assumeTrue(found.isPresent(), "schemathesis " + VERSION + " is not where .ci/run puts it");
    this.program = found.orElseThrow();
    this.directory = directory;
    this.rest = new RestCalls(directory);
    this.coordinator = rest.start("data", Map.of());
    this.members = rest.member(coordinator);
  }

  /** Where .ci/run puts it. Another version, on the path, would ask something else. */
  private static Optional<Path> program() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path own = cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
    return Optional.of(own.resolve("sluice/schemathesis-" + VERSION + "/bin/schemathesis"))
        .filter(Files::isExecutable);
  }

  @BeforeAll
  void fill() throws Exception {
    rest.awaitLeader(coordinator);
    for (int i = 1; i <= SERVERS; i++) {
      TestServer server =
          new TestServer(members)
              .greet(TestServer.hello(i, 1).toBuilder().setWantsVerifiers(true).build());
      assertThat(server.nextDirective().hasWelcome()).isTrue();
    }
    for (int i = 1; i <= APPLICATIONS; i++) {
      ApplicationId id = ApplicationId.of(1, i);
      CoordinatorClient client =
          CoordinatorClient.open(
              CoordinatorClientConfig.of(List.of(coordinator.address())),
              ClientSecurity.of(id, Secret.of(Secret.random()), Optional.empty()));
      applications.add(client);
      RegisteredApplication registered =
          client.registerApplication(new Registration(id, "app-" + i, "ada", "spark", "0.1"));
      registered.createShuffle(new ShuffleKey(id, 0, 0), 10, 0, List.of());
    }
    Files.writeString(directory.resolve("schemathesis.toml"), settings());
  }

  @AfterAll
  void close() throws Exception {
    for (AutoCloseable application : applications) {
      application.close();
    }
    RestCalls.close(members);
    coordinator.close();
  }

  private static String settings() {
    return String.format(
        Locale.ROOT,
        """
    [dictionaries.servers]
    values = [%s]
    [dictionaries.applications]
    values = [%s]
    [dictionaries.subjects]
    values = ["user:ada", "user:*", "application:*"]
    [dictionaries.zero]
    values = [0]
    [parameters]
    "path.server" = { dictionary = "servers", probability = 0.5 }
    "path.application" = { dictionary = "applications", probability = 0.5 }
    "path.subject" = { dictionary = "subjects", probability = 0.5 }
    "path.shuffle" = { dictionary = "zero", probability = 0.5 }
    "path.generation" = { dictionary = "zero", probability = 0.5 }
    """,
        ids(7, SERVERS),
        ids(1, APPLICATIONS));
  }

  private static String ids(long high, int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(low -> '"' + new UUID(high, low).toString() + '"')
        .collect(Collectors.joining(", "));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 10, GET",
    RestCalls.READER + ", 10, GET",
    RestCalls.ADMIN + ", 20, GET PUT DELETE"
  })
  void nothingThatIsAskedFailsHereOrIsAnsweredOtherwiseThanPublished(
      String token, int seconds, String methods) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "run",
                "http://127.0.0.1:" + coordinator.httpPort() + "/api/v1/openapi.yaml",
                "--checks",
                "not_a_server_error,status_code_conformance,content_type_conformance,"
                    + "response_schema_conformance,response_headers_conformance,"
                    + "unsupported_method",
                "--max-time",
                Integer.toString(seconds),
                "--continue-on-failure",
                // Of calls that got no answer at all: this machine may stand still for seconds.
                "--request-retries",
                "3",
                "--no-color",
                "--warnings",
                "off",
                "--generation-database",
                "none"));
    Path report = directory.resolve("report.json");
    command.addAll(List.of("--report", "json", "--report-json-path", report.toString()));
    if (!token.isEmpty()) {
      command.addAll(List.of("--header", "authorization: Bearer " + token));
    }
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(seconds + MARGIN_SECONDS, TimeUnit.SECONDS))
          .as("ends in time")
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(log, UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output).contains("No issues found");
    Set<String> done = done(new ObjectMapper().readTree(report.toFile()));
    assertThat(done.stream().map(each -> each.split(" ")[0]).collect(Collectors.toSet()))
        .as("what was done and not only refused: %s", done)
        .containsExactlyInAnyOrder(methods.split(" "));
    assertThat(done.contains("GET /api/v1/servers")).isEqualTo(!token.isEmpty());
  }

  /** Operations that were answered with success at least once; each has been asked. */
  private static Set<String> done(JsonNode report) {
    JsonNode operations = report.get("operations");
    assertThat(operations.get("tested").intValue())
        .isPositive()
        .isEqualTo(operations.get("total").intValue());
    Set<String> done = new TreeSet<>();
    for (Map.Entry<String, JsonNode> operation : report.get("valid_rates").properties()) {
      if (operation.getValue().findValues("accepted").stream()
          .anyMatch(count -> count.intValue() > 0)) {
        done.add(operation.getKey());
      }
    }
    return done;
  }
}

package io.sluice.coordinator.rest;

import static io.sluice.coordinator.rest.RestFixture.SERVER;
import static io.sluice.coordinator.rest.RestFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what, and what is said of it. */
class RestAccessTest {
  private final RestFixture rest = RestFixture.open().leading();

  @Test
  void tokensMakeReadersAndAdmins(@TempDir Path directory) throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef\n");
    Path admin = Files.writeString(directory.resolve("admin"), "fedcba9876543210\n");
    RestFixture guarded =
        new RestFixture(Access.of(Optional.of(read), Optional.of(admin), List.of(), false))
            .leading();

    assertThat(guarded.get(SERVER).status()).isEqualTo(401);
    assertThat(guarded.get(SERVER).headers()).containsKey("www-authenticate");
    assertThat(guarded.get("/api/v1/configuration").status()).isEqualTo(401);
    assertThat(guarded.get("/api/v1/version").status()).isEqualTo(200);
    assertThat(guarded.get("/api/v1/openapi.yaml").status()).isEqualTo(200);
    assertThat(with(guarded, "GET", "Bearer 0123456789abcdef")).isEqualTo(200);
    assertThat(with(guarded, "PUT", "Bearer 0123456789abcdef")).isEqualTo(403);
    assertThat(with(guarded, "PUT", "bearer fedcba9876543210")).isEqualTo(204);
    assertThat(with(guarded, "GET", "Bearer 0123456789abcdeX")).isEqualTo(401);
    assertThat(with(guarded, "GET", "Basic 0123456789abcdef")).isEqualTo(401);
  }

  @Test
  void tokensThatAreReplacedAreTakenUpAndBrokenOnesAreNot(@TempDir Path directory)
      throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef");
    Access access = Access.of(Optional.of(read), Optional.empty(), List.of(), false);
    RestFixture guarded = new RestFixture(access).leading();
    access.watch(guarded.scheduler);

    Files.writeString(read, "another-token-of-readers");
    assertThat(with(guarded, "GET", "Bearer 0123456789abcdef")).isEqualTo(200);
    guarded.scheduler.advance(Access.CHECK_SECONDS, TimeUnit.SECONDS);
    assertThat(with(guarded, "GET", "Bearer 0123456789abcdef")).isEqualTo(401);
    assertThat(with(guarded, "GET", "Bearer another-token-of-readers")).isEqualTo(200);

    Files.writeString(read, "short");
    guarded.scheduler.advance(Access.CHECK_SECONDS, TimeUnit.SECONDS);
    Files.delete(read);
    guarded.scheduler.advance(Access.CHECK_SECONDS, TimeUnit.SECONDS);
    assertThat(with(guarded, "GET", "Bearer another-token-of-readers")).isEqualTo(200);
    assertThat(with(guarded, "GET", "Bearer short")).isEqualTo(401);
  }

  @Test
  void everybodyLearnsWhatTheyMayDo(@TempDir Path directory) throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef");
    RestFixture guarded =
        new RestFixture(Access.of(Optional.of(read), Optional.empty(), List.of(), false));

    assertThat(text(rest.get("/api/v1/access"))).isEqualTo("{\"role\":\"ADMIN\"}");
    assertThat(text(guarded.get("/api/v1/access"))).isEqualTo("{\"role\":\"NOBODY\"}");
    Map<String, String> reader = Map.of("authorization", "Bearer 0123456789abcdef");
    assertThat(text(guarded.call("GET", "/api/v1/access", "", reader)))
        .isEqualTo("{\"role\":\"READER\"}");
  }

  @Test
  void certificatesMakeReadersAndAdmins() {
    RestFixture guarded =
        new RestFixture(
                Access.of(Optional.empty(), Optional.empty(), List.of("CN=ops,O=Example"), true))
            .leading();

    assertThat(as(guarded, "GET", Optional.empty())).isEqualTo(401);
    assertThat(as(guarded, "GET", Optional.of("CN=else"))).isEqualTo(200);
    assertThat(as(guarded, "PUT", Optional.of("CN=else"))).isEqualTo(403);
    assertThat(as(guarded, "PUT", Optional.of("CN=ops,O=Example"))).isEqualTo(204);
  }

  @Test
  void withSecurityOnAndNobodyNamedNobodyMayAnything() {
    RestFixture guarded =
        new RestFixture(Access.of(Optional.empty(), Optional.empty(), List.of(), true)).leading();

    assertThat(guarded.get(SERVER).status()).isEqualTo(401);
    assertThat(text(guarded.get(SERVER))).contains("coordinator.http.read-token-file");
  }

  @Test
  void aTokenThatCouldBeGuessedIsRefused(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "short");

    assertThatThrownBy(() -> Access.of(Optional.of(file), Optional.empty(), List.of(), false))
        .hasMessageContaining("INVALID_CONFIGURATION")
        .hasMessageContaining("at least 16");
  }

  @Test
  void pagesOfOtherSitesChangeNothing() {
    Map<String, String> foreign = Map.of("origin", "https://evil.example");
    assertThat(rest.call("PUT", SERVER + "/drain", "", foreign).status()).isEqualTo(403);
    assertThat(
            rest.call("PUT", SERVER + "/drain", "", Map.of("origin", "http://here:7401")).status())
        .isEqualTo(204);
  }

  @Test
  void withoutTokensABrowserHasToKnowUsByANameOfOurs() {
    for (String host :
        List.of("here:7401", "HERE.example.com", "10.0.0.7:7401", "[::1]:7401", "localhost")) {
      assertThat(browser(rest, "PUT", host)).as(host).isEqualTo(204);
    }
    for (String host :
        List.of("evil.example:7401", "10.0.0.7.evil.example", "example.com", "1.2")) {
      assertThat(browser(rest, "PUT", host)).as(host).isEqualTo(403);
      // To look needs no such name, and whoever is no browser may use any.
      assertThat(browser(rest, "GET", host)).as(host).isEqualTo(200);
      Map<String, String> curl = Map.of("host", host);
      assertThat(rest.call("PUT", SERVER + "/drain", "", curl).status()).isEqualTo(204);
    }
  }

  @Test
  void withTokensAnyNameWillDo(@TempDir Path directory) throws IOException {
    Path admin = Files.writeString(directory.resolve("admin"), "fedcba9876543210");
    RestFixture guarded =
        new RestFixture(Access.of(Optional.empty(), Optional.of(admin), List.of(), false))
            .leading();
    Map<String, String> page =
        Map.of(
            "host", "sluice.example.com",
            "origin", "https://sluice.example.com",
            "authorization", "Bearer fedcba9876543210");

    assertThat(guarded.call("PUT", SERVER + "/drain", "", page).status()).isEqualTo(204);
  }

  @Test
  void everyChangeIsNotedWithWhoFromWhereWhatAndItsResult(@TempDir Path directory)
      throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef");
    Path admin = Files.writeString(directory.resolve("admin"), "fedcba9876543210");
    RestFixture guarded =
        new RestFixture(Access.of(Optional.of(read), Optional.of(admin), List.of(), false))
            .leading();
    with(guarded, "GET", "Bearer fedcba9876543210");
    assertThat(guarded.audited).isEmpty();

    with(guarded, "PUT", "Bearer fedcba9876543210");
    with(guarded, "PUT", "Bearer 0123456789abcdef");
    with(guarded, "PUT", "Bearer 0123456789abcdeX");
    guarded.put(SERVER + "/drain", "");
    String drain = " what=\"PUT " + SERVER + "/drain\" details=\"\" result=";
    assertThat(guarded.audited)
        .containsExactly(
            "who=\"admin-token\" from=\"client:5\" role=ADMIN" + drain + "204",
            "who=\"read-token\" from=\"client:5\" role=READER" + drain + "403",
            "who=\"nobody\" from=\"client:5\" role=NOBODY" + drain + "401",
            "who=\"nobody\" from=\"client:5\" role=NOBODY" + drain + "401");
  }

  @Test
  void whoIsRefusedAgainAndAgainDoesNotFillTheLog(@TempDir Path directory) throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef");
    Path admin = Files.writeString(directory.resolve("admin"), "fedcba9876543210");
    RestFixture guarded =
        new RestFixture(Access.of(Optional.of(read), Optional.of(admin), List.of(), false))
            .leading();
    for (int i = 0; i < 20; i++) {
      assertThat(with(guarded, "PUT", "Bearer 0123456789abcdef")).isEqualTo(403);
      assertThat(with(guarded, "PUT", "Bearer wrong")).isEqualTo(401);
      // Strangers are refused whatever they ask for.
      assertThat(guarded.put("/api/v1/nothing", "").status()).isEqualTo(404);
    }
    assertThat(guarded.audited).hasSize(RefusedLines.LINES);

    for (int i = 0; i < 20; i++) {
      assertThat(with(guarded, "PUT", "Bearer fedcba9876543210")).isEqualTo(204);
    }
    assertThat(guarded.audited).as("what is granted").hasSize(RefusedLines.LINES + 20);

    guarded.audited.clear();
    guarded.scheduler.advance(RefusedLines.MINUTE_NANOS, TimeUnit.NANOSECONDS);
    assertThat(guarded.audited).containsExactly("from=\"client\" refused=50 more in a minute");
    assertThat(with(guarded, "PUT", "Bearer wrong")).isEqualTo(401);
    assertThat(guarded.audited).hasSize(2);
    guarded.scheduler.advance(RefusedLines.MINUTE_NANOS, TimeUnit.NANOSECONDS);
    assertThat(guarded.audited).as("nothing was left out").hasSize(2);
  }

  @Test
  void nothingThatIsSaidCanForgeALineOfTheLog() {
    rest.put("/api/v1/quotas/user:ada", "{\"bytes\":1}\nwho=\"admin\" \u2028 ü");
    rest.put("/api/v1/quotas/user:ada", "x".repeat(60_000));

    assertThat(rest.audited).hasSize(2);
    assertThat(rest.audited.get(0))
        .startsWith("who=\"anybody\" from=\"client:5\" role=ADMIN what=")
        .contains(
            "details=\"{\\u0022bytes\\u0022:1}\\u000awho=\\u0022admin\\u0022 \\u2028 \\u00fc\"")
        .endsWith(" result=400");
    assertThat(rest.audited.get(1)).hasSizeLessThan(700).endsWith("...\" result=400");
  }

  @Test
  void aReaderIsNoMoreThanThatAtTheLeader(@TempDir Path directory) throws IOException {
    Path read = Files.writeString(directory.resolve("read"), "0123456789abcdef");
    RestFixture follower =
        new RestFixture(Access.of(Optional.of(read), Optional.empty(), List.of(), false));
    follower.leadership.leaderIs("there:7400");

    assertThat(with(follower, "PUT", "Bearer 0123456789abcdef")).isEqualTo(403);
    assertThat(follower.forwarded).isEmpty();
    assertThat(with(follower, "GET", "Bearer 0123456789abcdef")).isEqualTo(200);
    assertThat(follower.forwarded).containsExactly("there:7400 GET " + SERVER + " as READER");
  }

  private static int with(RestFixture rest, String method, String authorization) {
    String uri = method.equals("GET") ? SERVER : SERVER + "/drain";
    return rest.call(method, uri, "", Map.of("authorization", authorization)).status();
  }

  private static int as(RestFixture rest, String method, Optional<String> certificate) {
    String uri = method.equals("GET") ? SERVER : SERVER + "/drain";
    return rest.call(method, uri, new byte[0], Map.of(), certificate).status();
  }

  private static int browser(RestFixture rest, String method, String host) {
    String uri = method.equals("GET") ? SERVER : SERVER + "/drain";
    Map<String, String> headers = Map.of("host", host, "origin", "http://" + host);
    return rest.call(method, uri, "", headers).status();
  }
}

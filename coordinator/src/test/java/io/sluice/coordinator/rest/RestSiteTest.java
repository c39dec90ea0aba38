package io.sluice.coordinator.rest;

import static io.sluice.coordinator.rest.RestFixture.APPLICATION;
import static io.sluice.coordinator.rest.RestFixture.APPLICATIONS;
import static io.sluice.coordinator.rest.RestFixture.SERVER;
import static io.sluice.coordinator.rest.RestFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestSiteTest {
  private final RestFixture rest = RestFixture.open().leading();

  @Test
  void drainsAndUndrainsAServer() {
    assertThat(rest.put(SERVER + "/drain", "").status()).isEqualTo(204);
    assertThat(text(rest.get(SERVER))).contains("\"state\":\"DRAINING\"", "\"draining\":true");
    assertThat(rest.store.decommissioned()).containsExactly(Servers.id(1));

    assertThat(rest.delete(SERVER + "/drain").status()).isEqualTo(204);
    assertThat(text(rest.get(SERVER))).contains("\"state\":\"ACTIVE\"", "\"draining\":false");
    assertThat(rest.store.decommissioned()).isEmpty();
  }

  @Test
  void anExcludedServerGetsNoNewShufflesAlsoInTheNextTerm() {
    assertThat(rest.put(SERVER + "/exclusion", "").status()).isEqualTo(204);
    assertThat(text(rest.get(SERVER))).contains("\"excluded\":true");

    rest.leadership.deposed();
    rest.leading();

    assertThat(text(rest.get(SERVER))).contains("\"excluded\":true");
    String placement = text(rest.get(APPLICATIONS + APPLICATION + "/shuffles/3/0/placement"));
    assertThat(placement).contains(Servers.id(2).toString(), Servers.id(3).toString());
    assertThat(placement).doesNotContain(Servers.id(1).toString());

    assertThat(rest.delete(SERVER + "/exclusion").status()).isEqualTo(204);
    assertThat(text(rest.get(SERVER))).contains("\"excluded\":false");
    assertThat(rest.store.decisions()).isEmpty();
  }

  @Test
  void aKilledApplicationCannotComeBackInTheNextTermEither() {
    assertThat(rest.delete(APPLICATIONS + APPLICATION).status()).isEqualTo(204);
    assertThat(rest.get(APPLICATIONS + APPLICATION).status()).isEqualTo(404);
    rest.leadership.deposed();
    rest.leadership.elected("here:7400");
    rest.scheduler.runTasks();

    assertThatThrownBy(() -> rest.register(APPLICATION, "ada"))
        .hasMessageContaining("ACCESS_DENIED")
        .hasMessageContaining("ended by an operator");
  }

  @Test
  void showsWhatAnApplicationHoldsAndHowUnevenly() {
    assertThat(text(rest.get(APPLICATIONS + APPLICATION)))
        .contains("\"bytes\":6000", "\"partitions\":20", "\"skew\":1.5");
  }

  @Test
  void readsListsInPartsWithoutSeeingAnythingTwice() {
    String first = text(rest.get("/api/v1/servers?limit=2"));
    assertThat(first).contains(Servers.id(1) + "", "\"next\":\"" + Servers.id(2) + "\"");
    assertThat(first).doesNotContain(Servers.id(3) + "");

    String second = text(rest.get("/api/v1/servers?limit=2&after=" + Servers.id(2)));
    assertThat(second).contains(Servers.id(3) + "").doesNotContain("next", Servers.id(2) + "");
  }

  @Test
  void quotasHoldUntilTheyAreTakenBackAndOverTerms() {
    String ada = "/api/v1/quotas/user:ada";
    assertThat(rest.put(ada, "{\"applications\":1}").status()).isEqualTo(204);
    rest.leadership.deposed();
    rest.leading();
    assertThat(text(rest.get("/api/v1/quotas"))).contains("\"subject\":\"user:ada\"");

    assertThatThrownBy(() -> rest.register(ApplicationId.of(9, 9), "ada"))
        .hasMessageContaining("QUOTA_EXCEEDED")
        .hasMessageContaining("user 'ada' runs 1, allowed in this cluster are 1 applications");

    assertThat(rest.delete(ada).status()).isEqualTo(204);
    rest.register(ApplicationId.of(9, 9), "ada");
    assertThat(rest.get(ada).status()).isEqualTo(404);
  }

  @Test
  void errorsSayWhatWhoseMatterAndWhatToDo() {
    Answer answer = rest.get("/api/v1/servers/" + Servers.id(77));
    assertThat(answer.status()).isEqualTo(404);
    assertThat(text(answer))
        .contains("\"code\":\"INVALID_ARGUMENT\"", "\"blame\":\"CALLER\"", "\"advice\":\"ABORT\"");

    assertThat(rest.get("/api/v1/nothing").status()).isEqualTo(404);
    assertThat(rest.call("POST", SERVER, "", Map.of()).status()).isEqualTo(405);
    assertThat(rest.get("/api/v1/servers?limit=0").status()).isEqualTo(400);
    assertThat(rest.get("/api/v1/servers/%zz").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/user:ada", "{\"byts\":1}").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/user:ada", "{\"bytes\":-1}").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/ada", "{}").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/admission", "{\"load_max\":0}").status()).isEqualTo(400);
  }

  @Test
  void aWriteThatTheStoreRefusesIsNoSuccess() {
    rest.store.setFailing(true);

    Answer answer = rest.put(SERVER + "/drain", "");

    assertThat(answer.status()).isEqualTo(503);
    assertThat(text(answer)).contains(ErrorCode.COORDINATOR_UNAVAILABLE.name());
  }

  @Test
  void whoDoesNotLeadPassesCallsOnAndSaysSoIfNobodyLeads() {
    RestFixture follower = RestFixture.open();
    assertThat(follower.get("/api/v1/cluster").status()).isEqualTo(503);
    assertThat(text(follower.get("/api/v1/cluster"))).contains("NOT_LEADER");

    follower.leadership.leaderIs("there:7400");
    assertThat(follower.get("/api/v1/cluster").status()).isEqualTo(200);
    assertThat(follower.put(SERVER + "/drain", "").status()).isEqualTo(200);
    assertThat(follower.forwarded)
        .containsExactly(
            "there:7400 GET /api/v1/cluster as ADMIN",
            "there:7400 PUT " + SERVER + "/drain as ADMIN");
  }

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

  private static int with(RestFixture rest, String method, String authorization) {
    String uri = method.equals("GET") ? SERVER : SERVER + "/drain";
    return rest.call(method, uri, "", Map.of("authorization", authorization)).status();
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

  private static int as(RestFixture rest, String method, Optional<String> certificate) {
    String uri = method.equals("GET") ? SERVER : SERVER + "/drain";
    return rest.call(method, uri, new byte[0], Map.of(), certificate).status();
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
  void whatHappenedIsTold() {
    rest.put(SERVER + "/exclusion", "");
    assertThat(text(rest.get("/api/v1/events")))
        .contains("is active", "of user 'ada' registered", "the server is excluded");
    assertThat(text(rest.get("/api/v1/events?after=1000000"))).contains("\"events\":[]");
  }
}

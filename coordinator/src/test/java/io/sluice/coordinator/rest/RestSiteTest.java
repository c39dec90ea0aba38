package io.sluice.coordinator.rest;

import static io.sluice.coordinator.rest.RestFixture.APPLICATION;
import static io.sluice.coordinator.rest.RestFixture.APPLICATIONS;
import static io.sluice.coordinator.rest.RestFixture.SERVER;
import static io.sluice.coordinator.rest.RestFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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

  /** There is a shuffle of two replicas. */
  @Test
  void drainsOneOfTooFewServersOnlyIfForced() {
    String second = "/api/v1/servers/" + Servers.id(2) + "/drain";
    assertThat(rest.put(SERVER + "/drain", "").status()).isEqualTo(204);

    Answer refusal = rest.put(second, "");
    assertThat(refusal.status()).isEqualTo(409);
    assertThat(text(refusal)).contains("\"TOO_FEW_SERVERS\"", "DRAINING=1", "2 replicas");
    assertThat(rest.put(second + "?force=false", "").status()).isEqualTo(409);
    assertThat(rest.store.decommissioned()).containsExactly(Servers.id(1));

    assertThat(rest.put(second + "?force=true", "").status()).isEqualTo(204);
    assertThat(rest.store.decommissioned()).contains(Servers.id(2));
    assertThat(rest.audited).last().asString().contains("/drain?force=true");
    assertThat(rest.put(second, "").status()).as("again").isEqualTo(204);
  }

  @Test
  void namesServersToBeDrainedThatTheLeaderDoesNotKnow() {
    assertThat(rest.put(SERVER + "/drain", "").status()).isEqualTo(204);
    assertThat(text(rest.get("/api/v1/cluster"))).contains("\"drains_away\":[]");

    rest.store.putDecommission(Servers.id(9));
    rest.leadership.deposed();
    rest.leading();

    assertThat(text(rest.get("/api/v1/cluster")))
        .contains("\"drains_away\":[\"" + Servers.id(9) + "\"]");
  }

  @Test
  void namesTheCoordinatorsThatAreThere() {
    String leader = rest.leadership.leader();
    rest.leadership.candidatesAre(List.of(leader, "there:7400"));

    assertThat(text(rest.get("/api/v1/cluster")))
        .contains("{\"address\":\"" + leader + "\",\"leads\":true}")
        .contains("{\"address\":\"there:7400\",\"leads\":false}");
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
  void aShuffleOfAnEarlierLeaderIsShownAsWhatItsDriverSaysOfIt() {
    String shuffles = APPLICATIONS + APPLICATION + "/shuffles";
    assertThat(text(rest.get(shuffles))).contains("\"copies\":20,\"earlier\":false");
    rest.leadership.deposed();
    rest.leadership.elected("here:7400");
    rest.scheduler.runTasks();
    assertThat(text(rest.get(shuffles))).isEqualTo("{\"items\":[]}");

    rest.leadership.cluster().heartbeat(APPLICATION, Map.of(new ShuffleKey(APPLICATION, 3, 0), 20));

    String told = "{\"shuffle\":3,\"generation\":0,\"copies\":20,\"earlier\":true}";
    assertThat(text(rest.get(shuffles))).isEqualTo("{\"items\":[" + told + "]}");
    assertThat(text(rest.get(shuffles + "/3/0"))).isEqualTo(told);
    assertThat(text(rest.get(APPLICATIONS + APPLICATION)))
        .contains("\"shuffles\":1,", "\"partitions\":20,");
    Answer where = rest.get(shuffles + "/3/0/placement");
    assertThat(where.status()).isEqualTo(404);
    assertThat(text(where)).contains("UNKNOWN_SHUFFLE", "its driver alone knows where");

    rest.leadership.cluster().removeShuffle(new ShuffleKey(APPLICATION, 3, 0));
    assertThat(text(rest.get(shuffles))).isEqualTo("{\"items\":[]}");
  }

  @Test
  void aKilledApplicationCannotComeBackInTheNextTermEither() {
    assertThat(rest.delete(APPLICATIONS + APPLICATION).status()).isEqualTo(204);
    assertThat(rest.get(APPLICATIONS + APPLICATION).status()).isEqualTo(404);
    rest.leadership.deposed();
    rest.leadership.elected("here:7400");
    rest.scheduler.runTasks();

    assertThatThrownBy(() -> rest.register(APPLICATION, "ada"))
        .hasMessageContaining("APPLICATION_ENDED")
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
  void anEmptyQuotaExemptsFromTheOneOfEach() {
    rest.put("/api/v1/quotas/user:*", "{\"applications\":0}");
    assertThatThrownBy(() -> rest.register(ApplicationId.of(9, 9), "eva"))
        .hasMessageContaining("QUOTA_EXCEEDED");

    assertThat(rest.put("/api/v1/quotas/user:eva", "{}").status()).isEqualTo(204);
    rest.leadership.deposed();
    rest.leading();

    rest.register(ApplicationId.of(9, 9), "eva");
    assertThat(text(rest.get("/api/v1/quotas"))).contains("\"subject\":\"user:eva\"");
  }

  @Test
  void errorsSayWhatWhoseMatterAndWhatToDo() {
    Answer answer = rest.get("/api/v1/servers/" + Servers.id(77));
    assertThat(answer.status()).isEqualTo(404);
    assertThat(text(answer))
        .contains("\"code\":\"INVALID_ARGUMENT\"", "\"blame\":\"CALLER\"", "\"advice\":\"ABORT\"");

    assertThat(rest.get("/api/v1/nothing").status()).isEqualTo(404);
    assertThat(rest.call("POST", SERVER, "", Map.of()).status()).isEqualTo(405);
    assertThat(rest.call("POST", SERVER, "", Map.of()).headers()).containsEntry("allow", "GET");
    assertThat(rest.put("/api/v1/version", "").headers()).containsEntry("allow", "GET");
    assertThat(rest.get("/api/v1/servers?limit=0").status()).isEqualTo(400);
    assertThat(rest.get("/api/v1/servers/%zz").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/user:ada", "{\"byts\":1}").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/user:ada", "{\"bytes\":-1}").status()).isEqualTo(400);
    assertThat(rest.put("/api/v1/quotas/ada", "{\"bytes\":1}").status()).isEqualTo(400);
    assertThat(text(rest.put("/api/v1/quotas/user:ada", "{\"byts\":1}")))
        .contains("it has 'byts'; known are applications, bytes, partitions");
    assertThat(text(rest.put("/api/v1/quotas/user:ada", "{\"bytes\":\"much\"}")))
        .contains("bytes is not as the OpenAPI document says")
        .doesNotContain("java", "sluice.coordinator");
    assertThat(text(rest.put("/api/v1/admission", "{\"allow\":[],\"deny\":[],\"load_max\":0}")))
        .contains("\"INVALID_ARGUMENT\"", "load_max 0.0 is not above 0");
  }

  @Test
  void parametersThatAnOperationDoesNotHaveAreNamed() {
    assertThat(text(rest.get("/api/v1/applications?usr=bob&x=1")))
        .contains(
            "unknown parameter 'usr': did you mean user?; unknown parameter 'x'; known are after,"
                + " limit, user");
    assertThat(rest.get("/api/v1/applications?usr=bob").status()).isEqualTo(400);
    assertThat(rest.get("/api/v1/applications?user=bob").status()).isEqualTo(200);
    assertThat(text(rest.get("/api/v1/version?verbose"))).contains("'verbose'; there is none here");
    assertThat(rest.put(SERVER + "/drain?forced=true", "").status()).isEqualTo(400);
    assertThat(text(rest.put(SERVER + "/drain?force=1", ""))).contains("neither true nor false");
  }

  @Test
  void aListGoesOnAfterWhatItHasOnly() {
    String shuffles = APPLICATIONS + RestFixture.APPLICATION + "/shuffles";
    for (String list :
        List.of("/api/v1/servers", "/api/v1/applications", "/api/v1/quotas", shuffles)) {
      assertThat(rest.get(list + "?after=zz").status()).as(list).isEqualTo(400);
      assertThat(text(rest.get(list + "?after=zz"))).as(list).contains("'zz'");
      assertThat(rest.get(list + "?after=").status()).as(list).isEqualTo(200);
    }
    rest.leadership
        .cluster()
        .openSession(Servers.hello(10, 1), Servers.report(9), new RecordingChannel());
    assertThat(Servers.id(10).toString()).endsWith("a");
    String upper = Servers.id(11).toString().toUpperCase(Locale.ROOT);
    assertThat(text(rest.get("/api/v1/servers?after=" + upper))).contains("\"items\":[]");
    assertThat(text(rest.get(shuffles + "?after=0000000003-0000000000"))).contains("\"items\":[]");
    assertThat(rest.get("/api/v1/quotas?after=user:%2A").status()).isEqualTo(200);
  }

  @Test
  void namesThatAreNotUtf8AreNobodys() {
    for (String name : List.of("%ff", "%c3", "%ed%a0%80", "a%C0%AF")) {
      assertThat(rest.put("/api/v1/quotas/user:" + name, "{\"bytes\":1}").status())
          .as(name)
          .isEqualTo(400);
    }
    assertThat(rest.get("/api/v1/applications?user=%ff").status()).isEqualTo(400);
    assertThat(text(rest.get("/api/v1/quotas"))).contains("\"items\":[]");
    assertThat(rest.put("/api/v1/quotas/user:%c3%bc", "{\"bytes\":1}").status()).isEqualTo(204);
    assertThat(text(rest.get("/api/v1/quotas"))).contains("user:\u00fc");
  }

  @Test
  void partOfWhoIsLetInDoesNotOpenTheRest() {
    String whole = "{\"allow\":[],\"deny\":[\"eve\"],\"load_max\":0.9}";
    assertThat(rest.put("/api/v1/admission", whole).status()).isEqualTo(204);

    assertThat(rest.put("/api/v1/admission", "{\"load_max\":0.95}").status()).isEqualTo(400);
    assertThat(text(rest.put("/api/v1/admission", "{\"load_max\":0.95}")))
        .contains("the body is without allow, deny:");
    assertThat(text(rest.put("/api/v1/admission", "{}"))).contains("allow, deny, load_max:");
    assertThat(text(rest.put("/api/v1/admission", whole.replace("[\"eve\"]", "null"))))
        .contains("the body is without deny:");

    assertThat(text(rest.get("/api/v1/admission"))).isEqualTo(whole);
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

  /** A leader that refused to lead for that would be worse. */
  @Test
  void decisionsThatCannotBeReadAreNotInForceAndTheOthersAre() {
    RestFixture fixture = RestFixture.open();
    Map.of(
            "quota/user:ada",
            Map.of("bytes", "many"),
            "quota/nonsense",
            Map.of("bytes", "1"),
            "quota/user:bob",
            Map.of("applications", "9"),
            "gate",
            Map.of("loadMax", "full"),
            "excluded/none",
            Map.<String, String>of(),
            "excluded/" + Servers.id(2),
            Map.<String, String>of(),
            "killed/none",
            Map.of("at", "1"),
            "killed/" + ApplicationId.of(5, 5),
            Map.of("at", "today"),
            "of a later version",
            Map.of("x", "y"))
        .forEach(fixture.store::putDecision);

    fixture.leading();

    assertThat(text(fixture.get("/api/v1/quotas")))
        .contains("\"user:bob\"")
        .doesNotContain("ada", "nonsense");
    assertThat(text(fixture.get("/api/v1/admission"))).contains("\"load_max\":1.0");
    assertThat(text(fixture.get("/api/v1/servers/" + Servers.id(2)))).contains("\"excluded\":true");
    fixture.register(ApplicationId.of(5, 5), "eve");
    assertThat(fixture.get(APPLICATIONS + ApplicationId.of(5, 5)).status()).isEqualTo(200);
    assertThat(fixture.store.decisions()).containsKey("of a later version");
  }

  @Test
  void ratesCanBeToldFromServersThatComeAndGo() {
    String three = lives(rest);
    assertThat(lives(rest)).isEqualTo(three);

    rest.leadership.deposed();
    rest.leadership.elected("here:7400");
    rest.scheduler.runTasks();
    assertThat(lives(rest)).as("of a leader that has heard nobody").isNotEqualTo(three);
    rest.leading();
    assertThat(lives(rest)).as("of the next leader").isEqualTo(three);
  }

  private static String lives(RestFixture rest) {
    return text(rest.get("/api/v1/cluster"))
        .replaceFirst(".*\"counted_lives\":\"(\\w{16})\".*", "$1");
  }

  @Test
  void whatHappenedIsTold() {
    rest.put(SERVER + "/exclusion", "");
    assertThat(text(rest.get("/api/v1/events")))
        .contains("is active", "of user 'ada' registered", "the server is excluded");
    assertThat(text(rest.get("/api/v1/events?after=1000000"))).contains("\"events\":[]");
  }

  @Test
  void aWatchIsToldOfTheNextEventWhenItHappens() {
    String next = "/api/v1/events?wait=4&after=" + rest.leadership.cluster().events().last();
    CompletableFuture<Answer> watch = rest.ask(next);
    rest.scheduler.advance(3, TimeUnit.SECONDS);
    assertThat(watch).isNotDone();

    rest.put(SERVER + "/exclusion", "");

    assertThat(watch).isDone();
    assertThat(text(watch.join()))
        .as("what happened together")
        .contains("is active, excluded", "the server is excluded")
        .doesNotContain("registered");
  }

  @Test
  void aWatchThatHearsNothingIsAnsweredAllTheSame() {
    assertThat(rest.get("/api/v1/events?wait=5").status()).isEqualTo(400);
    assertThat(text(rest.get("/api/v1/events?wait=4&after=9999")))
        .as("a number of another term")
        .contains("\"events\":[]");
    long last = rest.leadership.cluster().events().last();
    CompletableFuture<Answer> watch = rest.ask("/api/v1/events?wait=4&after=" + last);
    rest.scheduler.advance(3_999, TimeUnit.MILLISECONDS);
    assertThat(watch).isNotDone();
    rest.scheduler.advance(1, TimeUnit.MILLISECONDS);
    assertThat(text(watch.join())).contains("\"events\":[]");

    CompletableFuture<Answer> other = rest.ask("/api/v1/events?wait=4&after=" + last);
    rest.leadership.deposed();
    rest.scheduler.runTasks();
    assertThat(other).as("the end of the term ends the wait").isDone();
  }

  @Test
  void aWatchMissesNothingOfManyEvents() {
    assertThat(text(rest.get("/api/v1/events?limit=1&after=1"))).contains("\"number\":2");
    assertThat(text(rest.get("/api/v1/events?limit=1"))).doesNotContain("\"number\":2,");
  }

  @Test
  void watchesAreBounded() {
    String next = "/api/v1/events?wait=4&after=" + rest.leadership.cluster().events().last();
    List<CompletableFuture<Answer>> watches = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      watches.add(rest.ask(next));
    }
    assertThat(rest.get(next).status()).isEqualTo(429);
    assertThat(watches).noneMatch(CompletableFuture::isDone);

    rest.put(SERVER + "/exclusion", "");

    assertThat(watches).allMatch(CompletableFuture::isDone);
    CompletableFuture<Answer> late =
        rest.ask("/api/v1/events?wait=4&after=" + rest.leadership.cluster().events().last());
    assertThat(late).as("there is room again").isNotDone();
    rest.scheduler.advance(4, TimeUnit.SECONDS);
    assertThat(late.join().status()).isEqualTo(200);
  }
}

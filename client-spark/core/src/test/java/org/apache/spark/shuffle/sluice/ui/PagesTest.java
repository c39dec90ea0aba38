package org.apache.spark.shuffle.sluice.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.ui.ApplicationFacts.Fact;
import org.apache.spark.shuffle.sluice.ui.TaskFigures.End;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PagesTest {
  private static final String EVIL = "</td><script>alert('1')</script>&\"\\\u0001";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ShuffleRoutes routes = new ShuffleRoutes();
  private final ShuffleLedger ledger = new ShuffleLedger();
  private final Map<Integer, FixedPlacement> placements = new HashMap<>();
  private final ShuffleViews views = new ShuffleViews(routes, ledger, placements::get);
  private final ShufflesPage page =
      new ShufflesPage(ApplicationFacts.of(List.of(new Fact("name", "A <name>", EVIL))), views);
  private final ShufflePage one = new ShufflePage(views, id -> null);

  @Test
  void emptyPagesSaySo() throws Exception {
    assertThat(page.html(with())).contains("None is known any more.").doesNotContain("<table");
    JsonNode json = JSON.readTree(page.json(with()));
    assertThat(json.get("shuffles")).isEmpty();
    assertThat(json.get("shufflesKnown").asInt()).isZero();
    assertThat(json.get("pages").asInt()).isEqualTo(1);
  }

  @Test
  void whatOthersWroteIsText() throws Exception {
    add(ShuffleRoute.local(0, 4, Why.REFUSED, EVIL));
    placed(1, new PlacedServer(ServerId.of(0, 1), 1, EVIL, 1));
    for (String html : List.of(page.html(with()), one.html(id(0)), one.html(id(1)))) {
      assertThat(html).doesNotContain("<script").doesNotContain("alert('").doesNotContain("\u0001");
      assertThat(html).contains("&lt;script&gt;");
    }
    assertThat(page.html(with())).contains("A &lt;name&gt;");
    assertThat(page.json(with())).doesNotContain("<script");
    JsonNode json = JSON.readTree(page.json(with()));
    assertThat(json.get("application").get("name").asText()).isEqualTo(EVIL);
    assertThat(json.get("shuffles").get(1).get("reason").asText()).isEqualTo(EVIL);
    assertThat(json(one, id(1)).get("onServers").get(0).get("host").asText()).isEqualTo(EVIL);
  }

  /** All that a page links to is Spark's or below the tab; nothing in it runs. */
  @Test
  void pagesNeedNoScriptAndNothingFromElsewhere() {
    IntStream.range(0, 250).forEach(id -> add(ShuffleRoute.placed(id, 4)));
    Matcher link = Pattern.compile("(?:href|src)=\"([^\"]*)\"").matcher(page.html(with("page=2")));
    int links = 0;
    while (link.find()) {
      assertThat(link.group(1)).matches("\\?sort=[a-z]+&amp;page=\\d+|shuffle/\\?id=\\d+");
      links++;
    }
    assertThat(links).isEqualTo(100 + 2 + Order.values().length - 1);
    assertThat(page.html(with())).doesNotContain("<script").doesNotContainPattern(" on[a-z]+=");
  }

  @Test
  void manyAreShownPageByPage() throws Exception {
    int shuffles = 2 * ShufflesPage.JSON_MAX + 5;
    IntStream.range(0, shuffles).forEach(id -> add(ShuffleRoute.placed(id, 4)));
    assertThat(page.html(with())).contains("1 to 100 of 2,005").contains(">Next<");
    assertThat(ids(page.html(with()))).hasSize(ShufflesPage.ROWS_MAX).startsWith(2004, 2003);
    assertThat(page.html(with())).doesNotContain(">Previous<");
    assertThat(ids(page.html(with("page=21")))).containsExactly(4, 3, 2, 1, 0);
    assertThat(page.html(with("page=21"))).contains(">Previous<").doesNotContain(">Next<");
    assertThat(ids(page.html(with("page=999")))).as("the last").containsExactly(4, 3, 2, 1, 0);
    JsonNode json = JSON.readTree(page.json(with("page=3")));
    assertThat(json.get("shuffles")).hasSize(5);
    assertThat(json.get("pages").asInt()).isEqualTo(3);
    assertThat(json.get("shufflesKnown").asInt()).isEqualTo(shuffles);
  }

  @Test
  void sortsByWhatIsAskedFor() {
    for (int id = 0; id < 3; id++) {
      add(ShuffleRoute.placed(id, 4));
      ledger.jobStarted(id, List.of(StageBookTest.map(id, id)));
      long[] written = {id == 1 ? 500 : id, 1};
      ledger.taskEnded(id, new TaskFigures(End.DONE, 0, written, new long[2], null));
    }
    ledger.measured(0, PartitionSizes.of(new long[] {1, 2, 90}, 1, 1));
    ledger.measured(2, PartitionSizes.of(new long[] {50, 50, 99}, 1, 1));
    assertThat(ids(page.html(with()))).containsExactly(2, 1, 0);
    assertThat(ids(page.html(with("sort=written")))).containsExactly(1, 2, 0);
    assertThat(ids(page.html(with("sort=largest")))).containsExactly(2, 0, 1);
    assertThat(ids(page.html(with("sort=skew")))).containsExactly(0, 2, 1);
    assertThat(page.html(with("sort=skew"))).contains("45.0 ×").contains("<strong>skew</strong>");
  }

  @Test
  void wrongParametersAreNamedAndNotRepeated() {
    for (String wrong : List.of("page=0", "page=-1", "page=<b>", "page=99999999999", "sort=<b>")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> page.html(with(wrong)))
          .withMessageStartingWith("INVALID_ARGUMENT: '" + wrong.split("=", 2)[0] + "' must be")
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("<b>"));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> one.html(with()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> one.json(id(9)))
        .withMessage("INVALID_ARGUMENT: shuffle 9 is not known, or not any more");
  }

  @Test
  void movesAreEpochsAfterTheFirstAndStayWhenItIsRemoved() throws Exception {
    PlacedServer a = new PlacedServer(ServerId.of(0, 1), 1, "a", 1);
    PlacedServer b = new PlacedServer(ServerId.of(0, 2), 1, "b", 2);
    FixedPlacement first = placed(3, a);
    placements.put(3, first.withEpoch(new int[] {1, 2}, List.of(b), 1, new int[2]));

    JsonNode row = JSON.readTree(page.json(with())).get("shuffles").get(0);
    assertThat(row.get("servers").asInt()).isEqualTo(2);
    assertThat(row.get("moves").asInt()).isEqualTo(1);
    JsonNode servers = json(one, id(3)).get("onServers");
    assertThat(servers.get(0).get("partitions").asInt() + servers.get(1).get("partitions").asInt())
        .isEqualTo(4);

    ledger.ended(3, 2, 2);
    routes.remove(3);
    placements.remove(3);
    JsonNode removed = json(one, id(3));
    assertThat(removed.get("servers").asInt()).isEqualTo(2);
    assertThat(removed.get("moves").asInt()).isEqualTo(1);
    assertThat(removed.get("registered").asBoolean()).isFalse();
    assertThat(removed.has("onServers")).isFalse();
    assertThat(page.html(with())).contains("<td>removed</td>");
  }

  @Test
  void serversGetTheBytesOfTheirPartitions() {
    PlacedServer a = new PlacedServer(ServerId.of(0, 1), 1, "a", 1);
    PlacedServer b = new PlacedServer(ServerId.of(0, 2), 1, "b", 2);
    ShuffleKey key = new ShuffleKey(ApplicationId.of(1, 1), 0, 0);
    FixedPlacement placement =
        FixedPlacement.of(key, 3, List.of(a, b), 1, new int[] {0, 0, 1})
            .withEpoch(new int[] {1}, List.of(a, b), 2, new int[] {1, 0});
    List<ServerShares.Share> shares = ServerShares.of(placement, new long[] {1, 10, 100});
    assertThat(shares.get(0).server).isEqualTo(b);
    assertThat(shares.get(0).bytes).isEqualTo(110);
    assertThat(shares.get(0).partitions).isEqualTo(2);
    assertThat(shares.get(1).bytes).isEqualTo(11);
    assertThat(ServerShares.of(placement, null).get(1).partitions).isEqualTo(2);
  }

  @Test
  void figuresAreShort() {
    assertThat(Figures.bytes(0)).isEqualTo("0 B");
    assertThat(Figures.bytes(1023)).isEqualTo("1023 B");
    assertThat(Figures.bytes(1536)).isEqualTo("1.5 KiB");
    assertThat(Figures.bytes((1L << 30) - 1)).isEqualTo("1.0 GiB");
    assertThat(Figures.bytes(Long.MAX_VALUE)).isEqualTo("8.0 EiB");
    assertThat(Figures.bytes(-1)).isEqualTo("–");
    assertThat(Figures.times(Double.NaN)).isEqualTo("–");
  }

  private FixedPlacement placed(int id, PlacedServer server) {
    FixedPlacement placement =
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 1), id, 0), 4, List.of(server), 1, new int[4]);
    placements.put(id, placement);
    add(ShuffleRoute.placed(id, 4));
    return placement;
  }

  private void add(ShuffleRoute route) {
    routes.add(route);
    ledger.registered(route.shuffleId(), route.isLocal());
  }

  private static List<Integer> ids(String html) {
    List<Integer> ids = new ArrayList<>();
    Matcher row = Pattern.compile("<tr><td><a href=\"shuffle/\\?id=(\\d+)\"").matcher(html);
    while (row.find()) {
      ids.add(Integer.valueOf(row.group(1)));
    }
    return ids;
  }

  private static JsonNode json(ShufflePage page, Function<String, @Nullable String> parameters)
      throws JsonProcessingException {
    return JSON.readTree(page.json(parameters));
  }

  private static Function<String, @Nullable String> id(int id) {
    return with("id=" + id);
  }

  private static Function<String, @Nullable String> with(String... parameters) {
    Map<String, String> all =
        List.of(parameters).stream()
            .map(parameter -> parameter.split("=", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    return all::get;
  }
}

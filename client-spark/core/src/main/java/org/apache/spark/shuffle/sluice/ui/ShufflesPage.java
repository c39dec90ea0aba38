package org.apache.spark.shuffle.sluice.ui;

import static org.apache.spark.shuffle.sluice.ui.Figures.bytes;
import static org.apache.spark.shuffle.sluice.ui.Figures.count;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.jspecify.annotations.Nullable;

/** The application, and all its shuffles. Immutable. */
final class ShufflesPage implements TabPage {
  /** Rows of a page. */
  static final int ROWS_MAX = 100;

  /** Shuffles of one answer in JSON. */
  static final int JSON_MAX = 1_000;

  /** Characters of a reason; the shuffle's own page has it whole. */
  private static final int REASON_MAX = 160;

  private final ApplicationFacts facts;
  private final ShuffleViews shuffles;

  ShufflesPage(ApplicationFacts facts, ShuffleViews shuffles) {
    this.facts = facts;
    this.shuffles = shuffles;
  }

  @Override
  public String path() {
    return "";
  }

  @Override
  public String title() {
    return "Sluice";
  }

  @Override
  public String html(Function<String, @Nullable String> parameters) {
    Extract extract = new Extract(shuffles.all(), parameters, ROWS_MAX);
    Html html = new Html();
    summary(html);
    html.raw("<h4>Shuffles</h4>\n");
    if (extract.total == 0) {
      return html.element("p", "None is known any more.").toString();
    }
    position(html, extract);
    html.table(
        "Shuffle",
        "State",
        "Through",
        "Partitions",
        "Maps",
        "Written",
        "Records",
        "Read",
        "Largest partition",
        "Skew",
        "Servers",
        "Moves",
        "Maps again",
        "Fetch failures",
        "Stage retries",
        "Failed attempts");
    extract.views.forEach(view -> row(html, view));
    return html.endTable()
        .raw("<p>")
        .text(
            "Written and read: what tasks say that have ended, failed ones included. Sizes of"
                + " partitions: map statuses, which round. Skew: the largest partition over the"
                + " median. Moves: times that partitions were given to other servers. Maps again:"
                + " maps that ended well once more.")
        .raw("</p>\n")
        .toString();
  }

  private void summary(Html html) {
    ShuffleLedger.Totals totals = shuffles.totals();
    html.raw("<ul class=\"list-unstyled\">\n");
    facts.all().forEach(fact -> html.item(fact.label, fact.value));
    html.item("Shuffles", decided(shuffles.decided()));
    html.item(
        "Written to Sluice",
        bytes(totals.bytesWritten) + " in " + count(totals.recordsWritten) + " records");
    html.item(
        "Written to Spark's own shuffle",
        bytes(totals.bytesWrittenLocally)
            + " in "
            + count(totals.recordsWrittenLocally)
            + " records");
    html.item("Read", bytes(totals.bytesRead) + " in " + count(totals.recordsRead) + " records");
    html.item(
        "Retries",
        count(totals.mapsAgain)
            + " maps again, "
            + count(totals.fetchFailures)
            + " fetch failures, "
            + count(totals.stageRetries)
            + " stage retries");
    html.raw("</ul>\n");
  }

  private static String decided(Map<Why, Long> decided) {
    return decided.entrySet().stream()
        .filter(entry -> entry.getKey() == Why.PLACED || entry.getValue() > 0)
        .map(
            entry ->
                count(entry.getValue())
                    + (entry.getKey() == Why.PLACED
                        ? " through Sluice"
                        : " through Spark's own (" + entry.getKey().label() + ")"))
        .collect(Collectors.joining(", "));
  }

  private static void position(Html html, Extract extract) {
    html.raw("<p>")
        .text(count(extract.before + 1L))
        .text(" to ")
        .text(count(extract.before + (long) extract.views.size()))
        .text(" of ")
        .text(count(extract.total));
    html.text(
        ": all that are registered, and the last "
            + count(ShuffleRoutes.ENDED_MAX)
            + " that were. ");
    if (extract.page > 1) {
      link(html, extract.order, extract.page - 1, "Previous").text(" ");
    }
    if (extract.page < extract.pages) {
      link(html, extract.order, extract.page + 1, "Next").text(" ");
    }
    String before = "By ";
    for (Order order : Order.values()) {
      html.text(before);
      if (order == extract.order) {
        html.element("strong", order.label());
      } else {
        link(html, order, 1, order.label());
      }
      before = ", ";
    }
    html.text(".");
    html.raw("</p>\n");
  }

  private static Html link(Html html, Order order, int page, String label) {
    return html.raw("<a href=\"?sort=" + order.key() + "&amp;page=" + page + "\">")
        .text(label)
        .raw("</a>");
  }

  private static void row(Html html, ShuffleView view) {
    ShuffleFigures figures = view.figures;
    html.raw("<tr><td><a href=\"shuffle/?id=" + view.id() + "\">" + view.id() + "</a></td>")
        .element("td", view.state())
        .raw("<td>")
        .text(view.way());
    if (view.route.isLocal()) {
      html.text(" (" + view.route.why().label() + "): " + cut(view.route.reason()));
    }
    html.raw("</td>")
        .figure(count(view.route.partitions()))
        .figure(count(figures.maps))
        .figure(bytes(figures.bytesWritten))
        .figure(count(figures.recordsWritten))
        .figure(read(figures))
        .figure(bytes(view.largest()))
        .figure(Figures.times(view.skew()))
        .figure(view.route.isLocal() ? "" : count(view.servers))
        .figure(view.route.isLocal() ? "" : count(view.moves()))
        .figure(count(figures.mapsAgain))
        .figure(count(figures.fetchFailures))
        .figure(count(figures.stageRetries))
        .figure(count(figures.attemptsFailed))
        .raw("</tr>\n");
  }

  /** Spark's tasks say what they read of all their shuffles together. */
  static String read(ShuffleFigures figures) {
    if (figures.bytesReadTogether == 0) {
      return bytes(figures.bytesRead);
    }
    String shared =
        bytes(figures.bytesReadTogether)
            + " with "
            + figures.together.stream().map(String::valueOf).collect(Collectors.joining(", "));
    return figures.bytesRead == 0 ? shared : bytes(figures.bytesRead) + ", and " + shared;
  }

  private static String cut(String reason) {
    return reason.length() <= REASON_MAX ? reason : reason.substring(0, REASON_MAX) + "…";
  }

  @Override
  public String json(Function<String, @Nullable String> parameters) {
    Extract extract = new Extract(shuffles.all(), parameters, JSON_MAX);
    ShuffleLedger.Totals totals = shuffles.totals();
    JsonText json = new JsonText().object();
    json.object("application");
    facts.all().forEach(fact -> json.field(fact.key, fact.value));
    json.endObject().object("decided");
    shuffles.decided().forEach((why, number) -> json.field(why.label(), number));
    json.endObject().object("totals");
    json.field("bytesWritten", totals.bytesWritten)
        .field("recordsWritten", totals.recordsWritten)
        .field("bytesWrittenLocally", totals.bytesWrittenLocally)
        .field("recordsWrittenLocally", totals.recordsWrittenLocally)
        .field("bytesRead", totals.bytesRead)
        .field("recordsRead", totals.recordsRead)
        .field("mapsAgain", totals.mapsAgain)
        .field("fetchFailures", totals.fetchFailures)
        .field("stageRetries", totals.stageRetries);
    json.endObject()
        .field("shufflesKnown", extract.total)
        .field("page", extract.page)
        .field("pages", extract.pages)
        .array("shuffles");
    for (ShuffleView view : extract.views) {
      json.object();
      ShuffleJson.fields(json, view);
      json.endObject();
    }
    return json.endArray().endObject().toString();
  }
}

package org.apache.spark.shuffle.sluice.ui;

import static org.apache.spark.shuffle.sluice.ui.Figures.bytes;
import static org.apache.spark.shuffle.sluice.ui.Figures.count;

import io.sluice.client.FixedPlacement;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.apache.spark.shuffle.sluice.ui.ServerShares.Share;
import org.jspecify.annotations.Nullable;

/** One shuffle: how it is spread over partitions and servers. Immutable. */
final class ShufflePage implements TabPage {
  /** Rows of servers. */
  static final int SERVERS_MAX = 200;

  private final ShuffleViews shuffles;
  private final Function<Integer, MapSizes.@Nullable Seen> sizes;

  /**
   * @param sizes as they are now, null if they are not to be had
   */
  ShufflePage(ShuffleViews shuffles, Function<Integer, MapSizes.@Nullable Seen> sizes) {
    this.shuffles = shuffles;
    this.sizes = sizes;
  }

  @Override
  public String path() {
    return "shuffle";
  }

  @Override
  public String title() {
    return "Sluice: a shuffle";
  }

  private ShuffleView wanted(Function<String, @Nullable String> parameters) {
    int id = Parameters.number(parameters, "id", 0, null);
    ShuffleView view = shuffles.one(id);
    if (view == null) {
      throw new IllegalArgumentException(
          "INVALID_ARGUMENT: shuffle " + id + " is not known, or not any more");
    }
    return view;
  }

  @Override
  public String html(Function<String, @Nullable String> parameters) {
    ShuffleView view = wanted(parameters);
    MapSizes.Seen seen = view.registered ? sizes.apply(view.id()) : null;
    Html html = new Html().raw("<p><a href=\"../\">All shuffles</a></p>\n");
    head(html, view);
    PartitionSizes spread = seen == null ? view.sizes() : seen.spread;
    if (spread == null) {
      html.element("p", "No map of it has ended: nothing is known of its partitions.");
    } else {
      partitions(html, spread);
    }
    FixedPlacement placement = view.registered ? shuffles.placement(view.id()) : null;
    if (placement != null) {
      servers(html, ServerShares.of(placement, seen == null ? null : seen.bytes));
    }
    return html.toString();
  }

  private static void head(Html html, ShuffleView view) {
    ShuffleFigures figures = view.figures;
    html.element("h4", "Shuffle " + view.id()).raw("<ul class=\"list-unstyled\">\n");
    html.item("State", view.state());
    html.item("Through", view.way());
    if (view.route.isLocal()) {
      html.item("Because (" + view.route.why().label() + ")", view.route.reason());
    }
    html.item("Partitions", count(view.route.partitions()));
    html.item("Maps", count(figures.maps));
    html.item(
        "Written",
        bytes(figures.bytesWritten) + " in " + count(figures.recordsWritten) + " records");
    html.item("Read", ShufflesPage.read(figures));
    if (!view.route.isLocal()) {
      html.item("Servers", count(view.servers));
      html.item("Moves to other servers", count(view.moves()));
    }
    html.item("Maps that ended well once more", count(figures.mapsAgain));
    html.item("Fetch failures", count(figures.fetchFailures));
    html.item("Stage retries", count(figures.stageRetries));
    html.item(
        "Attempts of maps that failed, and that were killed",
        count(figures.attemptsFailed) + ", " + count(figures.attemptsKilled));
    html.raw("</ul>\n");
  }

  private static void partitions(Html html, PartitionSizes spread) {
    html.raw("<h4>Partitions</h4>\n")
        .element(
            "p",
            "From the statuses of "
                + (spread.isSample()
                    ? count(spread.mapsSeen()) + " of " + count(spread.maps()) + " maps, scaled"
                    : count(spread.maps()) + " maps")
                + ", which round. "
                + bytes(spread.total())
                + " together, skew "
                + Figures.times(spread.skew())
                + ", "
                + count(spread.empty())
                + " partitions empty.");
    html.table("Smallest", "25 %", "Median", "75 %", "95 %", "99 %", "Largest").raw("<tr>");
    for (long quantile : spread.quantiles()) {
      html.figure(bytes(quantile));
    }
    html.raw("</tr>\n").endTable();
    int[] largest = spread.largest();
    long[] largestBytes = spread.largestBytes();
    html.raw("<h5>The largest</h5>\n").table("Partition", "Bytes");
    for (int i = 0; i < largest.length; i++) {
      html.raw("<tr>")
          .element("td", String.valueOf(largest[i]))
          .figure(bytes(largestBytes[i]))
          .raw("</tr>\n");
    }
    html.endTable();
  }

  private static void servers(Html html, List<Share> shares) {
    html.raw("<h4>Servers</h4>\n");
    html.element(
        "p",
        (shares.size() > SERVERS_MAX
                ? count(SERVERS_MAX) + " of " + count(shares.size()) + ", those with most bytes. "
                : "")
            + "Where its newest placement puts partitions, each replica counted.");
    html.table("Server", "Id", "Partitions", "Bytes");
    for (Share share : shares.subList(0, Math.min(SERVERS_MAX, shares.size()))) {
      html.raw("<tr>")
          .element("td", share.server.host() + ":" + share.server.port())
          .element("td", String.valueOf(share.server.id()))
          .figure(count(share.partitions))
          .figure(bytes(share.bytes))
          .raw("</tr>\n");
    }
    html.endTable();
  }

  @Override
  public String json(Function<String, @Nullable String> parameters) {
    ShuffleView view = wanted(parameters);
    MapSizes.Seen seen = view.registered ? sizes.apply(view.id()) : null;
    JsonText json = new JsonText().object();
    ShuffleJson.fields(json, view);
    PartitionSizes spread = seen == null ? view.sizes() : seen.spread;
    if (spread != null) {
      json.array("largest");
      for (int i = 0; i < spread.largest().length; i++) {
        json.object()
            .field("partition", spread.largest()[i])
            .field("bytes", spread.largestBytes()[i])
            .endObject();
      }
      json.endArray().object("perMille");
      for (int i = 0; i < PartitionSizes.QUANTILES.length; i++) {
        json.field(String.valueOf(PartitionSizes.QUANTILES[i]), spread.quantiles()[i]);
      }
      json.endObject();
    }
    FixedPlacement placement = view.registered ? shuffles.placement(view.id()) : null;
    if (placement != null) {
      List<Share> shares = ServerShares.of(placement, seen == null ? null : seen.bytes);
      json.array("onServers");
      for (Share share : shares.subList(0, Math.min(SERVERS_MAX, shares.size()))) {
        json.object()
            .field("host", share.server.host())
            .field("port", share.server.port())
            .field("id", String.valueOf(share.server.id()))
            .field("partitions", share.partitions)
            .field("bytes", share.bytes)
            .endObject();
      }
      json.endArray();
    }
    return json.endObject().toString();
  }
}

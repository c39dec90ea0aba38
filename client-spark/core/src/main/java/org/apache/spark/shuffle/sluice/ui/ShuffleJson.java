package org.apache.spark.shuffle.sluice.ui;

/** What is shown of a shuffle on both pages, as fields. */
final class ShuffleJson {
  private ShuffleJson() {}

  /** Into an object that is begun. */
  static void fields(JsonText json, ShuffleView view) {
    ShuffleFigures figures = view.figures;
    json.field("shuffleId", view.id())
        .field("registered", view.registered)
        .field("local", view.route.isLocal())
        .field("decided", view.route.why().label())
        .field("reason", view.route.reason())
        .field("partitions", view.route.partitions())
        .field("maps", figures.maps)
        .field("bytesWritten", figures.bytesWritten)
        .field("recordsWritten", figures.recordsWritten)
        .field("bytesRead", figures.bytesRead)
        .field("recordsRead", figures.recordsRead)
        .field("bytesReadTogether", figures.bytesReadTogether);
    json.array("readTogetherWith");
    figures.together.forEach(json::element);
    json.endArray();
    json.field("servers", view.servers)
        .field("moves", view.moves())
        .field("mapsAgain", figures.mapsAgain)
        .field("fetchFailures", figures.fetchFailures)
        .field("stageRetries", figures.stageRetries)
        .field("attemptsFailed", figures.attemptsFailed)
        .field("attemptsKilled", figures.attemptsKilled);
    PartitionSizes sizes = view.sizes();
    if (sizes != null) {
      sizes(json, sizes);
    }
  }

  private static void sizes(JsonText json, PartitionSizes sizes) {
    json.object("partitionBytes")
        .field("mapsSeen", sizes.mapsSeen())
        .field("maps", sizes.maps())
        .field("total", sizes.total())
        .field("empty", sizes.empty())
        .field("median", sizes.median())
        .field("max", sizes.max())
        .field("skew", sizes.skew())
        .endObject();
  }
}

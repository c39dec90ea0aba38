package io.sluice.cli.quickstart;

import io.sluice.cli.compare.Measurement;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.cli.spark.JobRequest;
import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Locale;

/** What came of a quickstart, for people and for scripts. */
record Summary(
    String sparkVersion, DataSize serverMemory, List<Case> cases, List<ServerPeak> servers) {

  /** One workload through both shuffles. */
  record Case(JobRequest request, Pair pair) {}

  Summary {
    cases = List.copyOf(cases);
    servers = List.copyOf(servers);
  }

  boolean equal() {
    return cases.stream().allMatch(one -> one.pair().equal());
  }

  String text() {
    TextTable jobs =
        new TextTable(
            "workload",
            "rows in",
            "rows out",
            "Sluice s",
            "Spark's own s",
            "pushed",
            "fetched",
            "spilled",
            "disk/spilled",
            "results");
    for (Case one : cases) {
      Measurement sluice = one.pair().candidate();
      jobs.add(
          one.request().workload(),
          String.format(Locale.ROOT, "%,d", one.request().rows()),
          String.format(Locale.ROOT, "%,d", sluice.result().fingerprint().rows()),
          Units.seconds(sluice.result().seconds()),
          Units.seconds(one.pair().baseline().result().seconds()),
          Units.bytes(sluice.pushedBytes()),
          Units.bytes(sluice.fetchedBytes()),
          Units.bytes(sluice.spilledBytes()),
          sluice.spilledBytes() == 0 ? "–" : Units.ratio(writtenPerSpilled(sluice)),
          one.pair().equal() ? "equal" : "DIFFER");
    }
    StringBuilder text = new StringBuilder("\n").append(jobs);
    for (Case one : cases) {
      text.append(fingerprints(one));
    }
    return text.append('\n').append(serverTable()).append(verdict()).toString();
  }

  private String serverTable() {
    TextTable table =
        new TextTable("server", "peak RSS", "budget", "written to disk", "cpu s", "threads");
    for (ServerPeak server : servers) {
      table.add(
          server.name(),
          Units.bytes(server.usage().peakResidentBytes()),
          Units.bytes(serverMemory.toBytes()),
          Units.bytes(server.usage().writtenBytes()),
          Units.seconds(server.usage().cpuSeconds()),
          Long.toString(server.usage().threads()));
    }
    return table.toString();
  }

  private String verdict() {
    return equal()
        ? """

        Every job gave the same rows through Sluice as through Spark's own shuffle.
        Seconds are those of cold JVMs; bin/bench compares speed fairly.
        """
        : "\nRESULTS DIFFER between Sluice and Spark's own shuffle.\n";
  }

  private static String fingerprints(Case one) {
    String sluice = one.pair().candidate().result().fingerprint().toString();
    String own = one.pair().baseline().result().fingerprint().toString();
    return String.format(
        Locale.ROOT,
        "%s: fingerprint %s%s%n",
        one.request().workload(),
        sluice,
        sluice.equals(own) ? " on both" : ", Spark's own " + own);
  }

  private static double writtenPerSpilled(Measurement sluice) {
    return (double) sluice.serviceWrittenBytes() / sluice.spilledBytes();
  }

  /** One line for each workload. */
  String json() {
    StringBuilder lines = new StringBuilder();
    for (Case one : cases) {
      lines.append(json(one)).append('\n');
    }
    return lines.toString();
  }

  private JsonObject json(Case one) {
    Measurement sluice = one.pair().candidate();
    Measurement own = one.pair().baseline();
    return new JsonObject()
        .put("workload", one.request().workload())
        .put("rows", one.request().rows())
        .put("partitions", one.request().partitions())
        .put("maps", one.request().maps())
        .put("sluice_s", sluice.result().seconds())
        .put("baseline_s", own.result().seconds())
        .put("ratio_wall", one.pair().wallRatio())
        .put("ratio_cpu", one.pair().cpuRatio())
        .put("equal", one.pair().equal())
        .put("rows_out", sluice.result().fingerprint().rows())
        .put("fingerprint", sluice.result().fingerprint().toString())
        .put("baseline_fingerprint", own.result().fingerprint().toString())
        .put("pushed_bytes", sluice.pushedBytes())
        .put("fetched_bytes", sluice.fetchedBytes())
        .put("spilled_bytes", sluice.spilledBytes())
        .put("server_written_bytes", sluice.serviceWrittenBytes())
        .put("server_memory_bytes", serverMemory.toBytes())
        .put(
            "server_peak_rss_bytes",
            servers.stream().mapToLong(s -> s.usage().peakResidentBytes()).max().orElse(0))
        .put("spark", sparkVersion);
  }
}

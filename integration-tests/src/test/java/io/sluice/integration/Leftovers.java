package io.sluice.integration;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.local.MetricsPage;
import io.sluice.integration.quorum.Until;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What servers still have of jobs that have ended: data, memory, reads, files. */
final class Leftovers {
  /** Zero where nobody has a shuffle or asks for anything. */
  private static final List<String> ZERO =
      List.of(
          "shuffles",
          "partitions",
          "extents",
          "table_bytes",
          "arena_chunk_bytes",
          "flushing_bytes",
          "leased_bytes",
          "fetches_waiting_for_lease",
          "read_buffers_in_use",
          "wants_waiting",
          "replica_pending_bytes",
          "disk_cache_bytes",
          "disk_cache_leased_bytes",
          "disk_segments",
          "disk_segments_unlinking",
          "disk_units_staged",
          "disk_open_files",
          "disk_accesses",
          "disk_requests_waiting");

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final LocalCluster cluster;

  Leftovers(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /** Waits until there is nothing. */
  void awaitNone() throws Exception {
    try {
      Until.holds("nothing is left of jobs that have ended", () -> all().isEmpty());
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": " + all(), e);
    }
  }

  private List<String> all() throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    for (LocalServer server : cluster.servers()) {
      MetricsPage page = server.metrics(HTTP);
      for (String name : ZERO) {
        double value = page.sum("sluice_server_" + name);
        if (value != 0) {
          found.add(server.announcement().address() + " " + name + " " + value);
        }
      }
      double neither =
          page.sum("sluice_server_arena_capacity_bytes")
              - page.sum("sluice_server_arena_free_bytes")
              - page.sum("sluice_server_credit_bytes");
      if (neither != 0) {
        found.add(server.announcement().address() + " neither free nor promised " + neither);
      }
      found.addAll(dataFiles(server.process().pid()));
    }
    return found;
  }

  /** Segments and probes that a process has open, and files that are deleted and open still. */
  private static List<String> dataFiles(long pid) {
    File[] handles = new File("/proc/" + pid + "/fd").listFiles();
    return Stream.of(handles == null ? new File[0] : handles)
        .map(Leftovers::target)
        .filter(
            target ->
                target.contains("/segments/")
                    || target.contains("/probe/")
                    || (target.contains("catalog/") && target.endsWith(" (deleted)")))
        .toList();
  }

  private static String target(File handle) {
    try {
      return Files.readSymbolicLink(Path.of(handle.getPath())).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }
}

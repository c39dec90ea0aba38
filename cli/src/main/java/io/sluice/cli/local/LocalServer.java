package io.sluice.cli.local;

import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.service.Announcement;
import java.io.IOException;
import java.net.http.HttpClient;

/**
 * A shuffle server of a local cluster.
 *
 * @param process owned by the cluster's group
 * @param announcement where it listens
 */
public record LocalServer(ChildProcess process, Announcement announcement) {

  /** What it has used so far; nothing if it is gone. */
  public ProcessUsage usage() {
    return process.usage().orElse(ProcessUsage.NONE);
  }

  /** Its figures, as it gives them now. */
  public MetricsPage metrics(HttpClient client) throws IOException, InterruptedException {
    return MetricsPage.read(client, announcement.http());
  }
}

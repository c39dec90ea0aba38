package io.sluice.cli.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** One reading of a process's {@code /metrics}, in Prometheus' text format. Immutable. */
public final class MetricsPage {
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final String text;

  MetricsPage(String text) {
    this.text = text;
  }

  /**
   * @param address host:port
   */
  static MetricsPage read(HttpClient client, String address)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://" + address + "/metrics");
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(DEADLINE).build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(uri + " answered " + response.statusCode());
    }
    return new MetricsPage(response.body());
  }

  /** Names of all metrics that have a sample, with the endings of histograms. */
  public Set<String> names() {
    return text.lines()
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .map(line -> line.substring(0, endOfName(line)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static int endOfName(String line) {
    int labels = line.indexOf('{');
    int value = line.indexOf(' ');
    return labels < 0 ? value : Math.min(labels, value);
  }

  /**
   * A metric, added up over its labels.
   *
   * @throws IllegalArgumentException if the page has no such metric: it was renamed
   */
  public double sum(String name) {
    return sum(name, "");
  }

  /**
   * A metric, added up over those of its samples whose labels hold a text.
   *
   * @throws IllegalArgumentException if the page has no such sample
   */
  public double sum(String name, String label) {
    double[] samples =
        text.lines()
            .filter(line -> line.startsWith(name) && line.contains(label))
            .filter(line -> line.charAt(name.length()) == ' ' || line.charAt(name.length()) == '{')
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .toArray();
    if (samples.length == 0) {
      throw new IllegalArgumentException("no metric " + name + " with " + label);
    }
    double sum = 0;
    for (double sample : samples) {
      sum += sample;
    }
    return sum;
  }
}

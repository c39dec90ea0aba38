package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A live driver's UI. One thread's. */
final class SparkPages {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String STAGES = "/stages?status=complete";

  private final HttpClient client = HttpClient.newHttpClient();
  private final String root;

  SparkPages(int port) {
    root = "http://127.0.0.1:" + port;
  }

  /** What a driver's tasks report of its shuffles. */
  record Sums(long bytesWritten, long recordsWritten, long bytesRead, long recordsRead) {}

  /** Waits until the Sluice tab has the bytes and records that Spark's stages have; gives them. */
  Sums awaitSameSums() throws IOException, InterruptedException {
    String applications = get("/api/v1/applications");
    Matcher id = Pattern.compile("\"id\"\\s*:\\s*\"([^\"]+)\"").matcher(applications);
    assertThat(id.find()).as(applications).isTrue();
    long deadline = Clock.system().nanoTime() + DEADLINE.toNanos();
    Sums spark;
    Sums ours;
    do { // Spark hears of its last stages a little after whoever ran the job.
      String stages = get("/api/v1/applications/" + id.group(1) + STAGES);
      spark =
          new Sums(
              sum(stages, "shuffleWriteBytes"),
              sum(stages, "shuffleWriteRecords"),
              sum(stages, "shuffleReadBytes"),
              sum(stages, "shuffleReadRecords"));
      String totals = get("/sluice/json/").replaceFirst("(?s)\"shuffles\"\\s*:.*", "");
      ours =
          new Sums(
              sum(totals, "bytesWritten"),
              sum(totals, "recordsWritten"),
              sum(totals, "bytesRead"),
              sum(totals, "recordsRead"));
    } while (!ours.equals(spark) && Clock.system().nanoTime() < deadline);
    assertThat(ours).isEqualTo(spark);
    return spark;
  }

  private static long sum(String json, String field) {
    Matcher figure = Pattern.compile("\"" + field + "\"\\s*:\\s*(\\d+)").matcher(json);
    long sum = 0;
    while (figure.find()) {
      sum += Long.parseLong(figure.group(1));
    }
    return sum;
  }

  /** What is there, which must be something. */
  String get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(root + path)).timeout(DEADLINE).build();
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
    return answer.body();
  }
}

package io.sluice.benchmarks.paired;

import io.sluice.cli.compare.Measurement;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Runs both sides in turns, and swaps who goes first with every pair: the one that goes second
 * finds the caches and the clock speed that the first left.
 */
public final class PairedRuns {
  private final ShuffleSide candidate;
  private final ShuffleSide baseline;
  private final Consumer<String> progress;

  public PairedRuns(ShuffleSide candidate, ShuffleSide baseline, Consumer<String> progress) {
    this.candidate = candidate;
    this.baseline = baseline;
    this.progress = progress;
  }

  /** Runs a job in that many pairs, after that many that are thrown away. */
  public List<Pair> run(JobRequest request, int warmups, int pairs)
      throws ChildFailedException, JobFailedException, InterruptedException {
    for (int i = 0; i < warmups; i++) {
      progress.accept(request.workload() + ": warming up, " + (i + 1) + " of " + warmups);
      pair(request, i % 2 == 0);
    }
    List<Pair> measured = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      Pair pair = pair(request, i % 2 == 0);
      measured.add(pair);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%s: pair %d of %d: %s %.2f s, %s %.2f s, ratio %.2f%s",
              request.workload(),
              i + 1,
              pairs,
              candidate.name(),
              pair.candidate().result().seconds(),
              baseline.name(),
              pair.baseline().result().seconds(),
              pair.wallRatio(),
              pair.equal() ? "" : ", RESULTS DIFFER"));
    }
    return measured;
  }

  private Pair pair(JobRequest request, boolean candidateFirst)
      throws ChildFailedException, JobFailedException, InterruptedException {
    if (candidateFirst) {
      Measurement first = candidate.measure(request);
      return new Pair(first, baseline.measure(request));
    }
    Measurement first = baseline.measure(request);
    return new Pair(candidate.measure(request), first);
  }
}

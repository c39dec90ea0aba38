package io.sluice.benchmarks.paired;

import io.sluice.cli.compare.Pair;
import io.sluice.cli.report.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What all cases of a run come to together. */
public record CasesSummary(List<CaseReport> cases) {

  /** Of at least one. */
  public CasesSummary {
    cases = List.copyOf(cases);
  }

  public boolean equal() {
    return cases.stream().allMatch(CaseReport::equal);
  }

  /** A line for each case, then the means. */
  public String text() {
    String lines =
        cases.stream()
            .map(c -> String.format(Locale.ROOT, "  %-52s %s%n", c.title(), ratios(c)))
            .collect(Collectors.joining());
    return String.format(
        Locale.ROOT,
        "%n%d cases, medians of pairs: wall, cpu, cpu without servers%n%s"
            + "geometric mean: wall %s, cpu %s, cpu without servers %s; worst case: wall %.2f%n",
        cases.size(),
        lines,
        wall(),
        cpu(),
        clientCpu(),
        worst());
  }

  /** One object, told from those of cases by {@code "cases"}. */
  public JsonObject json() {
    return new JsonObject()
        .put("cases", cases.size())
        .put("ratio_wall", wall().value())
        .put("ratio_wall_upper", wall().upper())
        .put("ratio_cpu", cpu().value())
        .put("ratio_cpu_upper", cpu().upper())
        .put("ratio_client_cpu", clientCpu().value())
        .put("ratio_client_cpu_upper", clientCpu().upper())
        .put("ratio_wall_worst", worst())
        .put("equal", equal());
  }

  private static String ratios(CaseReport report) {
    return String.format(
        Locale.ROOT,
        "%.2f  %.2f  %.2f",
        report.wallRatio().median(),
        report.cpuRatio().median(),
        report.clientCpuRatio().median());
  }

  private GeometricMean wall() {
    return GeometricMean.of(cases, Pair::wallRatio);
  }

  private GeometricMean cpu() {
    return GeometricMean.of(cases, Pair::cpuRatio);
  }

  private GeometricMean clientCpu() {
    return GeometricMean.of(cases, Pair::clientCpuRatio);
  }

  private double worst() {
    return cases.stream()
        .map(c -> c.wallRatio().median())
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }
}

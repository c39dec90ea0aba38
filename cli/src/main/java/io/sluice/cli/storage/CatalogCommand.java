package io.sluice.cli.storage;

import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.server.segment.CatalogRebuild;
import io.sluice.server.segment.RecoveryReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice catalog rebuild}. */
@Command(
    name = "catalog",
    mixinStandardHelpOptions = true,
    description = "Looks after the catalogs of data directories.")
public final class CatalogCommand {

  @Command(
      name = "rebuild",
      mixinStandardHelpOptions = true,
      description = {
        "Makes catalogs anew from the segments, for when a server says CORRUPT_CATALOG.",
        "No server may use them. Reads the header of every unit."
      })
  int rebuild(
      @Parameters(
              arity = "1..*",
              paramLabel = "DIR",
              description = "data directories, as in server.data-dirs, without their class")
          List<Path> directories) {
    for (Path directory : directories) {
      lines(directory, CatalogRebuild.run(directory)).forEach(System.out::println);
    }
    return ExitCode.OK;
  }

  static List<String> lines(Path directory, RecoveryReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %d units with %d extents; cut %s behind them; removed %d segments without any",
            directory,
            report.units(),
            report.extents(),
            Units.bytes(report.cutBytes()),
            report.unlinkedSegments()));
    if (report.holes() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %d holes between units, which may have been some; readers find out, and what they"
                  + " miss is computed again",
              directory,
              report.holes()));
    }
    if (report.unreadFiles() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %d files could not be read; the next start tries them again",
              directory,
              report.unreadFiles()));
    }
    return lines;
  }
}

package io.sluice.cli.storage;

import io.sluice.cli.ExitCode;
import io.sluice.cli.report.Units;
import io.sluice.server.segment.CatalogRebuild;
import io.sluice.server.segment.RecoveryReport;
import java.nio.file.Path;
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
      RecoveryReport report = CatalogRebuild.run(directory);
      System.out.printf(
          Locale.ROOT,
          "%s: %d units with %d extents; cut %s behind them; removed %d segments without any%n",
          directory,
          report.units(),
          report.extents(),
          Units.bytes(report.cutBytes()),
          report.unlinkedSegments());
      if (report.unreadFiles() > 0) {
        System.out.printf(
            Locale.ROOT,
            "%s: %d files could not be read; the next start tries them again%n",
            directory,
            report.unreadFiles());
      }
    }
    return ExitCode.OK;
  }
}

package io.sluice.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What is looked at before anything starts. */
class QuickstartCommandTest {
  private final StringWriter said = new StringWriter();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rows|0|--rows must be 1 to",
        "--rows|9223372036854775807|--rows must be 1 to",
        "--rows|many|'many' is not a long",
        "--partitions|0|--partitions must be 1 to 1000000",
        "--servers|65|--servers must be 1 to 64",
        "--master|yarn|'yarn' is neither local[N] nor local-cluster[executors,cores,MiB]",
        "--master|local[0]|neither",
        "--master|spark://host:7077|neither",
        "--master|local-cluster[2,1]|neither",
        "--master|local-cluster[2,1,256]|at least 450 MiB",
        "--heap|much|'much' is not a size",
        "--heap|64m|--heap must be at least 512m",
        "--server-memory|128m|--server-memory 128m cannot be: ",
        "--server-memory|900t|--server-memory 900t cannot be: ",
        "--json|/no/such/directory/x.json|there is no directory /no/such/directory",
        "--json|/|is a directory",
        "--workload|nonsense|expected one of",
        "--spark|4.1|'4.1' is none of 3.5, 4.2",
        "--spark|4|'4' is none of 3.5, 4.2",
      })
  void refusesWhatCannotWork(String option, String value, String why) {
    assertThat(check(option, value)).isEqualTo(ExitCode.USAGE);

    assertThat(said.toString()).startsWith("quickstart: ").contains(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rows|1",
        "--master|local",
        "--master|local[*]",
        "--master|local[4]",
        "--master|local-cluster[2,1,1024]",
        "--heap|512m",
        "--server-memory|256m",
        "--json|x.json",
        "--spark|3.5",
        "--spark|4.2"
      })
  void acceptsWhatWorks(String option, String value) {
    assertThat(check(option, value)).as(said.toString()).isZero();
  }

  @Test
  void namesASparkHomeThatIsNone() {
    assertThat(check("--spark-home", directory.toString())).isEqualTo(ExitCode.CONFIGURATION);

    assertThat(said.toString()).contains(directory + "/jars is not a directory");
  }

  @Test
  void takesASparkHomeOfTheLineThatIsAskedFor() throws Exception {
    Path jars = Files.createDirectory(directory.resolve("jars"));
    Files.createFile(jars.resolve("spark-core_2.13-4.2.0.jar"));
    String home = directory.toString();

    assertThat(check("--spark-home", home, "--spark", "4.2")).as(said.toString()).isZero();
    assertThat(check("--spark-home", home)).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(said.toString())
        .contains(home + " is Spark 4.2.0 for Scala 2.13; asked for is Spark 3.5.x");
  }

  @Test
  void looksAtTheSparkHomeBeforeItMakesADirectory() {
    int code = run("--spark-home", directory.toString());

    assertThat(code).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(said.toString()).doesNotContain("Logs and data");
  }

  @Test
  void appendsToAFileThatIsThere() throws Exception {
    Path file = Files.createFile(directory.resolve("results.json"));

    assertThat(check("--json", file.toString())).isZero();
  }

  @Test
  void saysThatRowsMeanNothingToAWordCount() {
    assertThat(warning("--workload", "wordcount", "--rows", "7")).contains("--rows is ignored");
    assertThat(warning("--workload", "wordcount")).isEmpty();
    assertThat(warning("--rows", "7")).isEmpty();
  }

  private static String warning(String... arguments) {
    Holder command = new Holder();
    new CommandLine(command).parseArgs(arguments);
    return command.options.warning().orElse("");
  }

  private int check(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--only-check");
    return run(all.toArray(String[]::new));
  }

  private int run(String... arguments) {
    CommandLine command = new CommandLine(new QuickstartCommand());
    command.setErr(new PrintWriter(said, true));
    return ExitCode.run(command, arguments);
  }

  /** A command with nothing but the options. */
  @CommandLine.Command(name = "holder")
  private static final class Holder {
    @CommandLine.Mixin private final QuickstartOptions options = new QuickstartOptions();
  }
}

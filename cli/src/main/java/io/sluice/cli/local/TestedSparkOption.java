package io.sluice.cli.local;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which Spark a command runs. */
public final class TestedSparkOption {
  @Option(
      names = "--spark",
      converter = ByLine.class,
      description = "line of Spark: 3.5 (Scala 2.12) or 4.2 (Scala 2.13)",
      paramLabel = "LINE")
  private TestedSpark spark = TestedSpark.SPARK_35;

  public TestedSpark spark() {
    return spark;
  }

  /** Reads the value of the option. */
  static final class ByLine implements ITypeConverter<TestedSpark> {
    @Override
    public TestedSpark convert(String line) {
      return TestedSpark.of(line)
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'" + line + "' is none of " + String.join(", ", TestedSpark.lines())));
    }
  }
}

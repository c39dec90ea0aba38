package io.sluice.cli.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory of Spark's jars, as a distribution, a PyPI package or Maven puts them.
 *
 * @param jars the directory with the jars; never written to
 * @param version such as 3.5.9
 * @param scala such as 2.12
 */
public record SparkHome(Path jars, String version, String scala) {
  private static final Pattern CORE = Pattern.compile("spark-core_(2\\.\\d+)-(\\d.*)\\.jar");

  /** What the client jar is built for. */
  private static final String SUPPORTED_LINE = "3.5.";

  private static final String SUPPORTED_SCALA = "2.12";

  /**
   * Looks at a Spark home.
   *
   * @throws UnusableSparkException if there is none, or one that this version has no client for
   */
  public static SparkHome at(Path home) throws UnusableSparkException {
    Path jars = home.resolve("jars");
    SparkHome found = inspect(jars);
    if (!found.version.startsWith(SUPPORTED_LINE) || !found.scala.equals(SUPPORTED_SCALA)) {
      throw new UnusableSparkException(
          String.format(
              "%s is Spark %s for Scala %s; this Sluice has a client for Spark %sx on Scala %s",
              home, found.version, found.scala, SUPPORTED_LINE, SUPPORTED_SCALA));
    }
    return found;
  }

  private static SparkHome inspect(Path jars) throws UnusableSparkException {
    if (!Files.isDirectory(jars)) {
      throw new UnusableSparkException(jars + " is not a directory: no Spark there");
    }
    try (Stream<Path> files = Files.list(jars)) {
      return files
          .map(file -> CORE.matcher(String.valueOf(file.getFileName())))
          .filter(Matcher::matches)
          .map(match -> new SparkHome(jars.toAbsolutePath(), match.group(2), match.group(1)))
          .findFirst()
          .orElseThrow(
              () ->
                  new UnusableSparkException("no spark-core jar in " + jars + ": no Spark there"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

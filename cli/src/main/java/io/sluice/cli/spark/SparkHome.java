package io.sluice.cli.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
  private static final Pattern CORE =
      Pattern.compile("spark-core_(2\\.\\d+)-(\\d.*)(?<!-tests)\\.jar");

  /**
   * Looks at the home of a Spark of a line and a Scala.
   *
   * @param line such as 3.5
   * @param scala such as 2.12
   * @throws UnusableSparkException if there is none, or another one
   */
  public static SparkHome at(Path home, String line, String scala) throws UnusableSparkException {
    SparkHome found = inspect(home.resolve("jars"));
    if (!found.version.startsWith(line + ".") || !found.scala.equals(scala)) {
      throw new UnusableSparkException(
          String.format(
              Locale.ROOT,
              "%s is Spark %s for Scala %s; asked for is Spark %s.x for Scala %s (--spark says"
                  + " which)",
              home,
              found.version,
              found.scala,
              line,
              scala));
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

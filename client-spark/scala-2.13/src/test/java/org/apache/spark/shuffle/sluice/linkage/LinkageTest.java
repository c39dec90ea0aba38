package org.apache.spark.shuffle.sluice.linkage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.package$;
import org.apache.spark.shuffle.sluice.line.Spark35Line;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.line.UiLine;
import org.apache.spark.shuffle.sluice.spark41.Spark41Line;
import org.apache.spark.shuffle.sluice.ui35.JavaxUi;
import org.apache.spark.shuffle.sluice.ui40.JakartaUi;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same class files on every Spark for Scala 2.13 that the support table names and Maven has; on
 * others with {@code -Dsluice.spark.home} (docs/testing.md).
 */
class LinkageTest {
  private static final Path LINES = Path.of(System.getProperty("sluice.lines"));
  private static final String NEWEST = package$.MODULE$.SPARK_VERSION();

  private static final List<SparkLine> SHIMS = List.of(new Spark35Line(), new Spark41Line());
  private static final List<UiLine> PAGES = List.of(new JavaxUi(), new JakartaUi());

  static List<String> versions() throws IOException {
    List<String> versions = new ArrayList<>(List.of(NEWEST));
    try (Stream<Path> folders = Files.list(LINES)) {
      folders.map(folder -> folder.getFileName().toString()).forEach(versions::add);
    }
    assertThat(versions).hasSizeGreaterThanOrEqualTo(4);
    return versions;
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everythingThatIsCalledIsThere(String version) throws Exception {
    try (ClassFiles classPath = new ClassFiles(classPath(version))) {
      Linkage linkage = Linkage.of(ours(), classPath, name -> isUsedOn(name, version));
      assertThat(linkage.problems()).isEmpty();
      assertThat(linkage.references()).isGreaterThan(300);
    }
  }

  /** What is called by its name alone ({@code UnsafeRowFormat}); without it rows go slowly. */
  @ParameterizedTest
  @MethodSource("versions")
  void theMetricOfRowsIsWhereItIsLookedFor(String version) throws Exception {
    String metric = 'L' + SQLMetric.class.getName().replace('.', '/') + ';';
    try (ClassFiles classPath = new ClassFiles(classPath(version))) {
      assertThat(classPath.find("org/apache/spark/sql/execution/UnsafeRowSerializer"))
          .extracting(serializer -> serializer.declared("dataSize", metric))
          .isNotNull();
    }
  }

  /** Which also has the virtual machine verify them. */
  @ParameterizedTest
  @MethodSource("versions")
  void everyClassLoadsAndTheRightShimIsChosen(String version) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(urls(classPath(version)), ClassLoader.getPlatformClassLoader())) {
      List<byte[]> classes = ours();
      assertThat(classes).hasSizeGreaterThan(50);
      for (byte[] bytes : classes) {
        String name = ClassFile.parse(bytes).name();
        if (isUsedOn(name, version)) {
          Class.forName(name.replace('/', '.'), true, loader);
        }
      }
      Class<?> seam = loader.loadClass(SparkLine.class.getName());
      Object chosen = seam.getMethod("of", String.class).invoke(null, version);
      assertThat(chosen.getClass().getName())
          .isEqualTo(SparkLine.of(version).getClass().getName())
          .isEqualTo(
              Stream.of("4.1.", "4.2.", "4.3.").anyMatch(version::startsWith)
                  ? Spark41Line.class.getName()
                  : Spark35Line.class.getName());
    }
  }

  /** What Spark calls of a page is what we have overridden: its types are other ones in each. */
  @ParameterizedTest
  @MethodSource("versions")
  void pagesOverrideWhatSparkCalls(String version) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(urls(classPath(version)), ClassLoader.getPlatformClassLoader())) {
      Object chosen =
          loader
              .loadClass(UiLine.class.getName())
              .getMethod("of", String.class)
              .invoke(null, version);
      String line = chosen.getClass().getName();
      assertThat(line)
          .isEqualTo(UiLine.of(version).getClass().getName())
          .isEqualTo((version.startsWith("3.") ? JavaxUi.class : JakartaUi.class).getName());
      Class<?> page = loader.loadClass(line.substring(0, line.length() - "Ui".length()) + "Page");
      List<Method> rendering =
          Arrays.stream(page.getSuperclass().getMethods())
              .filter(method -> method.getName().startsWith("render"))
              .toList();
      assertThat(rendering).hasSize(2);
      for (Method method : rendering) {
        assertThat(page.getDeclaredMethods())
            .filteredOn(own -> own.getName().equals(method.getName()))
            .filteredOn(own -> own.getReturnType() == method.getReturnType())
            .anyMatch(own -> Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
      }
    }
  }

  /** The check itself: what is a shim's is missing where another shim is chosen. */
  @Test
  void aShimDoesNotLinkWithTheOtherLines() throws Exception {
    assertThat(problemsOfShims("3.5."))
        .anyMatch(problem -> isAbout(problem, "Spark41Line", "scheduler/MapStatus$.apply"))
        .anyMatch(problem -> isAbout(problem, "Spark41Line", "ExternalSorter.<init>"))
        .anyMatch(problem -> isAbout(problem, "PartitionChecksums", "RowBasedChecksum.update"))
        .noneMatch(problem -> problem.contains("Spark35Line"));
    assertThat(problemsOfShims(NEWEST))
        .anyMatch(problem -> isAbout(problem, "Spark35Line", "scheduler/MapStatus$.apply"))
        .anyMatch(problem -> isAbout(problem, "Spark35Line", "ExternalSorter.<init>"))
        .hasSize(2);
  }

  /** A page made for one servlet API has not what is called of it where there is the other. */
  @Test
  void aPageDoesNotLinkWithTheOtherServlets() throws Exception {
    assertThat(problems(NEWEST, name -> isIn(name, PAGES.get(0))))
        .anyMatch(problem -> problem.contains("JavaxPage does not implement Member[name=render,"));
    assertThat(problems("3.5.", name -> isIn(name, PAGES.get(1))))
        .anyMatch(
            problem -> problem.contains("JakartaPage does not implement Member[name=render,"));
  }

  private static boolean isAbout(String problem, String ofClass, String member) {
    return problem.contains(ofClass) && problem.contains(member);
  }

  private static List<String> problemsOfShims(String version) throws Exception {
    return problems(version, name -> isOfShim(name, SHIMS.get(0)) || isOfShim(name, SHIMS.get(1)));
  }

  private static List<String> problems(String version, Predicate<String> which) throws Exception {
    String found =
        versions().stream().filter(name -> name.startsWith(version)).findFirst().orElseThrow();
    try (ClassFiles classPath = new ClassFiles(classPath(found))) {
      return Linkage.of(ours(), classPath, which).problems();
    }
  }

  /** Whether a class may be used there: shims only where they are chosen. */
  private static boolean isUsedOn(String name, String version) {
    return SHIMS.stream().noneMatch(shim -> isOfShim(name, shim) && !shim.covers(version))
        && PAGES.stream().noneMatch(pages -> isIn(name, pages) && !pages.covers(version));
  }

  private static boolean isIn(String name, Object ofPackage) {
    return name.startsWith(ofPackage.getClass().getPackageName().replace('.', '/') + "/");
  }

  private static boolean isOfShim(String name, SparkLine shim) {
    String own = shim.getClass().getName().replace('.', '/');
    return name.equals(own) || (shim instanceof Spark41Line && isIn(name, shim));
  }

  /** Ours first, then a Spark, then what ours need besides. */
  private static List<Path> classPath(String version) throws Exception {
    List<Path> paths = new ArrayList<>(ourClasses());
    boolean newest = version.equals(NEWEST);
    if (!newest) {
      try (Stream<Path> jars = Files.list(LINES.resolve(version))) {
        paths.addAll(jars.toList());
      }
    }
    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(Path::of)
        .filter(path -> newest || !isOfSpark(String.valueOf(path.getFileName())))
        .filter(path -> !path.endsWith("test-classes"))
        .forEach(paths::add);
    return paths;
  }

  private static boolean isOfSpark(String file) {
    return file.startsWith("spark-") || file.startsWith("scala-library");
  }

  private static List<byte[]> ours() throws Exception {
    try (ClassFiles files = new ClassFiles(ourClasses())) {
      return files.in("org/apache/spark/shuffle/sluice");
    }
  }

  private static List<Path> ourClasses() throws URISyntaxException {
    List<Path> paths = new ArrayList<>();
    for (SparkLine shim : SHIMS) {
      paths.add(
          Path.of(shim.getClass().getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    return paths;
  }

  private static URL[] urls(List<Path> paths) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path path : paths) {
      urls.add(path.toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }
}

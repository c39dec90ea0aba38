package io.sluice.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The one jar that users give to their jobs: nothing in it may clash with what Hadoop brings. */
class BundleIT {
  private static final Path BUNDLE = Path.of(System.getProperty("sluice.bundle"));
  private static final String SHADED = "io.sluice.shaded.";

  private static final List<String> RELOCATED =
      List.of("io/netty/", "io/grpc/", "io/perfmark/", "com/google/");

  /** Before a name in a class file: a name that was relocated, an address, a pattern for tools. */
  private static final List<String> HARMLESS_BEFORE = List.of("io/sluice/shaded/", ".", "*/");

  @Test
  void holdsOwnAndRelocatedClassesOnly() throws IOException {
    assertThat(names())
        .filteredOn(name -> !name.endsWith("/"))
        .allMatch(
            name ->
                name.startsWith("io/sluice/")
                    || name.startsWith("META-INF/services/")
                    || name.startsWith("META-INF/native/libio_sluice_shaded_netty_")
                    || name.matches("META-INF/(MANIFEST.MF|LICENSE[.a-z-]*|NOTICE[.a-z-]*)"));
  }

  @Test
  void bringsNothingThatHadoopBrings() throws IOException {
    assertThat(names())
        .noneMatch(name -> name.contains("slf4j/") || name.contains("hadoop/"))
        .noneMatch(name -> name.startsWith("org/apache/") || name.startsWith("javax/"));
  }

  @Test
  void namesNoClassThatWasRelocatedByItsOldName() throws IOException {
    List<String> old = new ArrayList<>();
    try (JarFile jar = new JarFile(BUNDLE.toFile())) {
      for (JarEntry entry : jar.stream().collect(Collectors.toList())) {
        if (entry.getName().endsWith(".class")) {
          byte[] bytes = jar.getInputStream(entry).readAllBytes();
          String text = new String(bytes, StandardCharsets.ISO_8859_1);
          RELOCATED.stream()
              .filter(name -> isNamedIn(text, name))
              .forEach(name -> old.add(entry.getName() + " names " + name));
        }
      }
    }
    assertThat(old).isEmpty();
  }

  private static boolean isNamedIn(String classFile, String name) {
    int at = classFile.indexOf(name);
    while (at >= 0) {
      String before = classFile.substring(Math.max(0, at - SHADED.length()), at);
      if (HARMLESS_BEFORE.stream().noneMatch(before::endsWith)) {
        return true;
      }
      at = classFile.indexOf(name, at + 1);
    }
    return false;
  }

  /** The notice names every package that was renamed, and each licence it refers to is there. */
  @Test
  void carriesTheLicencesOfAllThatIsInIt() throws IOException {
    try (JarFile jar = new JarFile(BUNDLE.toFile())) {
      assertThat(text(jar, "META-INF/LICENSE")).contains("Apache License").contains("Version 2.0");
      String notice = text(jar, "META-INF/NOTICE");
      assertThat(packages()).contains("io.netty", "io.grpc", "com.google.protobuf");
      assertThat(packages())
          .allSatisfy(name -> assertThat(notice).containsPattern("[(, ]" + name + "[,)]"));
      Matcher file = Pattern.compile("META-INF/LICENSE[.a-z-]*[a-z]").matcher(notice);
      while (file.find()) {
        assertThat(text(jar, file.group())).isNotBlank();
      }
    }
  }

  /** Of what was renamed, under the old name: two parts, of Google's three. */
  private static Set<String> packages() throws IOException {
    Pattern renamed = Pattern.compile("io/sluice/shaded/(io/[a-z]+|com/google/[a-z]+)/.*[.]class");
    return names().stream()
        .map(renamed::matcher)
        .filter(Matcher::matches)
        .map(name -> name.group(1).replace('/', '.'))
        .collect(Collectors.toSet());
  }

  private static String text(JarFile jar, String name) throws IOException {
    JarEntry entry = jar.getJarEntry(name);
    assertThat(entry).as(name).isNotNull();
    return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void staysSmall() throws IOException {
    long bytes = Files.size(BUNDLE);
    System.out.printf(Locale.ROOT, "the client jar has %,d bytes%n", bytes);
    assertThat(bytes).isLessThan(15 << 20);
  }

  @Test
  void everyServiceNamesAClassInTheJar() throws IOException {
    List<String> names = names();
    try (JarFile jar = new JarFile(BUNDLE.toFile())) {
      List<JarEntry> services =
          jar.stream()
              .filter(
                  entry -> entry.getName().startsWith("META-INF/services/") && !entry.isDirectory())
              .collect(Collectors.toList());
      assertThat(services).isNotEmpty();
      for (JarEntry service : services) {
        String text =
            new String(jar.getInputStream(service).readAllBytes(), StandardCharsets.UTF_8);
        for (String line : text.split("\n", -1)) {
          String provider = line.split("#", 2)[0].trim();
          if (!provider.isEmpty()) {
            assertThat(names).contains(provider.replace('.', '/') + ".class");
          }
        }
      }
    }
    assertThat(names).contains("META-INF/services/" + SHADED + "io.grpc.LoadBalancerProvider");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theRelocatedEpollLibraryLoads() throws Exception {
    try (URLClassLoader loader = bundleAlone()) {
      Class<?> epoll = loader.loadClass(SHADED + "io.netty.channel.epoll.Epoll");
      assertThat(epoll.getProtectionDomain().getCodeSource().getLocation())
          .isEqualTo(BUNDLE.toUri().toURL());
      epoll.getMethod("ensureAvailability").invoke(null);
    }
  }

  /** The bundle without Hadoop and without the unshaded libraries of this build. */
  private static URLClassLoader bundleAlone() throws IOException {
    List<URL> urls = new ArrayList<>();
    urls.add(BUNDLE.toUri().toURL());
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (Path.of(path).getFileName().toString().startsWith("slf4j-api")) {
        urls.add(Path.of(path).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  private static List<String> names() throws IOException {
    try (JarFile jar = new JarFile(BUNDLE.toFile())) {
      return jar.stream().map(JarEntry::getName).collect(Collectors.toList());
    }
  }
}

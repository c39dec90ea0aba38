package io.sluice.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Maven repository in a folder, which has a client's jar and nothing else, as {@code mvn
 * deploy:deploy-file} makes it.
 *
 * @param url of the folder
 * @param coordinates of the jar
 */
record ClientRepository(String url, String coordinates) {
  private static final String GROUP = "io.sluice";
  private static final Pattern JAR = Pattern.compile("(.*)-(\\d+\\.\\d+\\.\\d+)(-SNAPSHOT)?\\.jar");

  /**
   * Puts the jar into a repository, as a release.
   *
   * @param folder made here
   */
  static ClientRepository make(Path folder, Path jar) throws IOException {
    Matcher name = JAR.matcher(jar.getFileName().toString());
    if (!name.matches()) {
      throw new IllegalArgumentException(jar + " has no version in its name");
    }
    String artifact = name.group(1);
    String version = name.group(2);
    Path own = folder.resolve(GROUP.replace('.', '/')).resolve(artifact).resolve(version);
    Files.createDirectories(own);
    Files.copy(jar, own.resolve(artifact + "-" + version + ".jar"));
    Files.writeString(own.resolve(artifact + "-" + version + ".pom"), pom(artifact, version));
    return new ClientRepository(folder.toUri().toString(), GROUP + ":" + artifact + ":" + version);
  }

  private static String pom(String artifact, String version) {
    return String.format(
        Locale.ROOT,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>%s</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
        </project>
        """,
        GROUP,
        artifact,
        version);
  }
}

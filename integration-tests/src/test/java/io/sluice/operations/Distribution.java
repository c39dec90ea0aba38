package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/** What this build has made for operators, and the source tree it was made from. */
final class Distribution {
  private Distribution() {}

  /** Root of the source tree; the working directory of tests is a module's. */
  static Path sources() {
    return Path.of("..").toAbsolutePath().normalize();
  }

  /** The folder that the archive holds. */
  static Path folder() {
    Path folder = Path.of(System.getProperty("sluice.distribution"));
    assertThat(folder).as("made by module dist in phase package").isDirectory();
    return folder;
  }

  /** A file of the source tree that operators get. */
  static Path file(String path) {
    Path file = sources().resolve(path);
    assertThat(Files.exists(file)).as(path).isTrue();
    return file;
  }
}

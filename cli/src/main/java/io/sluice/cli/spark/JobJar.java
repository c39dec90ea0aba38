package io.sluice.cli.spark;

import java.nio.file.Path;
import java.util.List;

/**
 * The program that a driver runs.
 *
 * @param mainClass speaks {@link JobRequest} and {@link JobResult} over its standard streams
 * @param jar holds the main class
 * @param libraries further jars it needs
 */
public record JobJar(String mainClass, Path jar, List<Path> libraries) {
  public JobJar {
    libraries = List.copyOf(libraries);
  }
}

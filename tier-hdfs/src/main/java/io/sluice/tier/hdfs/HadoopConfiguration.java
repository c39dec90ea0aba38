package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Reads Hadoop's XML files. */
final class HadoopConfiguration {
  private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml");

  private HadoopConfiguration() {}

  /**
   * Hadoop's defaults, overlaid with what is given, later ones winning.
   *
   * @param sources files, or folders that hold core-site.xml or hdfs-site.xml
   * @throws SluiceException INVALID_CONFIGURATION if one has nothing to say, or is not what Hadoop
   *     understands
   */
  static Configuration read(List<Path> sources) {
    Configuration hadoop = new Configuration();
    for (Path source : sources) {
      List<Path> files =
          Files.isDirectory(source)
              ? FILES.stream().map(source::resolve).filter(Files::isReadable).toList()
              : List.of(source);
      if (files.isEmpty() || !files.stream().allMatch(Files::isReadable)) {
        throw new SluiceException(
            ErrorCode.INVALID_CONFIGURATION, "no Hadoop configuration can be read at " + source);
      }
      for (Path file : files) {
        add(file, hadoop);
      }
    }
    return hadoop;
  }

  /** Hadoop reads a file when the first value is asked for; here, so that it can be named. */
  private static void add(Path file, Configuration hadoop) {
    Configuration alone = new Configuration(false);
    org.apache.hadoop.fs.Path resource = new org.apache.hadoop.fs.Path(file.toUri());
    alone.addResource(resource);
    try {
      alone.size();
    } catch (RuntimeException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "Hadoop's configuration " + file + " cannot be understood: " + e.getMessage(),
          e);
    }
    hadoop.addResource(resource);
  }
}

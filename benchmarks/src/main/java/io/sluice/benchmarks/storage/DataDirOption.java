package io.sluice.benchmarks.storage;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which disk is measured; to be mixed in. */
public final class DataDirOption {
  @Option(
      names = "--data-dir",
      description = "on the disk to be measured; by default for temporary files",
      paramLabel = "DIR")
  private @Nullable Path path;

  /** The directory, or null for that of temporary files. */
  public @Nullable Path path() {
    return path;
  }
}

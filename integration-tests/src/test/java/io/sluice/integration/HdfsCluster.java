package io.sluice.integration;

import io.sluice.cli.local.Installation;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A namenode and a datanode in a process of their own, whose Hadoop does not meet Spark's.
 *
 * @param uri of the file system
 */
record HdfsCluster(String uri) {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final String READY = "hdfs ready ";

  /** Starts it and waits until it can be written to. It ends with its group. */
  static HdfsCluster start(ProcessGroup group, Installation installation, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory);
    Path tier = installation.root().resolve("tier-hdfs/target");
    ChildProcess process =
        group.start(
            new ChildSpec(
                "hdfs",
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-cp",
                    tier.resolve("test-classes") + ":" + tier.resolve("test-lib") + "/*",
                    "io.sluice.tier.hdfs.HdfsProcess",
                    directory.resolve("data").toString()),
                Map.of(),
                directory,
                directory.resolve("log"),
                line -> line.startsWith(READY)));
    return new HdfsCluster(process.awaitAnnouncement(DEADLINE).substring(READY.length()).trim());
  }
}

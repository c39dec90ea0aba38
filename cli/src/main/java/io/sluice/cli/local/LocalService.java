package io.sluice.cli.local;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.Announcement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One of Sluice's own processes, started by {@code sluice ... run} as its settings say. */
public final class LocalService {
  /**
   * How its JVM is started, the class path aside.
   *
   * @param launcher a command that becomes the one behind it, such as {@code nice}; empty for none
   */
  public record JvmStart(
      List<String> launcher, List<String> flags, Map<String, String> environment) {
    public JvmStart {
      launcher = List.copyOf(launcher);
      flags = List.copyOf(flags);
      environment = Map.copyOf(environment);
    }

    public JvmStart(List<String> flags, Map<String, String> environment) {
      this(List.of(), flags, environment);
    }
  }

  private static final Duration START_DEADLINE = Duration.ofSeconds(60);

  private final ChildProcess process;

  private LocalService(ChildProcess process) {
    this.process = process;
  }

  /**
   * Starts the process without waiting for it; its log and data are under the directory.
   *
   * @param command such as {@code coordinator}
   */
  public static LocalService start(
      ProcessGroup group,
      String command,
      String classPath,
      JvmStart jvm,
      Map<String, String> settings,
      Path directory)
      throws IOException {
    Files.createDirectories(directory);
    List<String> line = new ArrayList<>(jvm.launcher());
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(jvm.flags());
    line.addAll(List.of("-cp", classPath, "io.sluice.cli.Sluice"));
    line.addAll(List.of(command, "run", "--until-stdin-closes"));
    settings.forEach((key, value) -> line.addAll(List.of("--set", key + "=" + value)));
    return new LocalService(
        group.start(
            new ChildSpec(
                String.valueOf(directory.getFileName()),
                line,
                jvm.environment(),
                directory,
                directory.resolve("log"),
                Announcement::isOne)));
  }

  /** Waits until the process says where it listens. */
  public Announcement awaitReady() throws ChildFailedException, InterruptedException {
    return Announcement.parse(process.awaitAnnouncement(START_DEADLINE));
  }

  /** The process, owned by its group. */
  public ChildProcess process() {
    return process;
  }
}

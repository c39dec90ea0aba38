package io.sluice.benchmarks.profile;

import io.sluice.benchmarks.profile.Profiler.Event;
import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs a job once for each event, with every process of a side under the profiler. */
public final class ProfiledRun {
  private final Profiler profiler;
  private final Path directory;

  /**
   * @param directory gets one file for each process and event, {@code
   *     WORKLOAD-SIDE-PROCESS-EVENT.collapsed}
   */
  public ProfiledRun(Profiler profiler, Path directory) {
    this.profiler = profiler;
    this.directory = directory;
  }

  /**
   * @param servers process ids of the side's service, by name
   */
  public void run(ShuffleSide side, Map<String, Long> servers, JobRequest request)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Files.createDirectories(directory);
    Map<String, Long> processes = new LinkedHashMap<>(servers);
    processes.putAll(spark(side));
    for (Event event : Event.values()) {
      for (long pid : processes.values()) {
        profiler.start(pid, event);
      }
      side.measure(request);
      for (Map.Entry<String, Long> process : processes.entrySet()) {
        String name =
            String.join("-", request.workload(), side.name(), process.getKey(), event.name());
        profiler.stop(process.getValue(), directory.resolve(name + ".collapsed"));
      }
    }
  }

  /** The driver, and executors where they are processes of their own. */
  private static Map<String, Long> spark(ShuffleSide side) {
    Map<String, Long> processes = new LinkedHashMap<>();
    long driver = side.driver().pid();
    processes.put("driver", driver);
    ProcessHandle.of(driver).stream()
        .flatMap(ProcessHandle::descendants)
        .forEach(executor -> processes.put("executor" + processes.size(), executor.pid()));
    return processes;
  }
}

package io.sluice.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What Linux has counted for a process and its living descendants.
 *
 * @param cpuSeconds user and system time
 * @param residentBytes memory in RAM now
 * @param peakResidentBytes the most memory in RAM so far, added up over processes
 * @param writtenBytes bytes this process caused to be sent to storage: {@code write_bytes}
 * @param threads threads now
 * @param openFiles open file descriptors now
 */
public record ProcessUsage(
    double cpuSeconds,
    long residentBytes,
    long peakResidentBytes,
    long writtenBytes,
    long threads,
    long openFiles) {

  public static final ProcessUsage NONE = new ProcessUsage(0, 0, 0, 0, 0, 0);

  /** USER_HZ, in which {@code /proc/PID/stat} counts; 100 on every Linux that runs a JVM. */
  private static final double TICKS_PER_SECOND = 100;

  /** A process and its descendants, or empty where there is no such process or no {@code /proc}. */
  public static Optional<ProcessUsage> of(ProcessHandle process) {
    return one(process.pid())
        .map(
            own ->
                process
                    .descendants()
                    .flatMap(child -> one(child.pid()).stream())
                    .reduce(own, ProcessUsage::plus));
  }

  public ProcessUsage plus(ProcessUsage other) {
    return new ProcessUsage(
        cpuSeconds + other.cpuSeconds,
        residentBytes + other.residentBytes,
        peakResidentBytes + other.peakResidentBytes,
        writtenBytes + other.writtenBytes,
        threads + other.threads,
        openFiles + other.openFiles);
  }

  private static Optional<ProcessUsage> one(long pid) {
    Path proc = Path.of("/proc", Long.toString(pid));
    try {
      String stat = Files.readString(proc.resolve("stat"));
      // The second field is the program's name in brackets and may hold anything.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
      String status = Files.readString(proc.resolve("status"));
      return Optional.of(
          new ProcessUsage(
              ticks / TICKS_PER_SECOND,
              number(status, "VmRSS:") * 1024,
              number(status, "VmHWM:") * 1024,
              number(Files.readString(proc.resolve("io")), "write_bytes:"),
              number(status, "Threads:"),
              openFiles(proc)));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  private static long openFiles(Path proc) throws IOException {
    try (Stream<Path> files = Files.list(proc.resolve("fd"))) {
      return files.count();
    }
  }

  /** The number after a label; 0 where a kernel, or a zombie, has no such line. */
  private static long number(String text, String label) {
    return text.lines()
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).trim().split(" ", -1)[0])
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElse(0);
  }
}

package io.sluice.benchmarks.wire;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used. Travels as part of a line between processes.
 *
 * @param cpuNanos of all its threads, the JVM's own included
 * @param allocatedBytes on the heap, by its Java threads that live
 * @param syscalls that read or write: what Linux counts in /proc/self/io. Waiting (epoll_wait,
 *     futex), and calls made for sockets only (accept, sendmsg), are not among them
 */
public record Usage(long cpuNanos, long allocatedBytes, long syscalls) {
  private static final Path IO = Path.of("/proc/self/io");

  /** Of this process, now. */
  public static Usage now() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = 0;
    for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      allocated += Math.max(0, bytes); // -1: the thread has just ended
    }
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Usage(system.getProcessCpuTime(), allocated, syscallsSoFar());
  }

  private static long syscallsSoFar() {
    try {
      long calls = 0;
      for (String line : Files.readAllLines(IO)) {
        if (line.startsWith("syscr:") || line.startsWith("syscw:")) {
          calls += Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
        }
      }
      return calls;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From then to this. */
  public Usage since(Usage then) {
    return new Usage(
        cpuNanos - then.cpuNanos, allocatedBytes - then.allocatedBytes, syscalls - then.syscalls);
  }

  /** For {@link #parse}. */
  public String format() {
    return cpuNanos + " " + allocatedBytes + " " + syscalls;
  }

  /**
   * @param first where among the words the three numbers begin
   * @throws IllegalArgumentException if they are none
   */
  public static Usage parse(String[] words, int first) {
    if (words.length < first + 3) {
      throw new IllegalArgumentException(words.length + " words where three follow " + first);
    }
    return new Usage(
        Long.parseLong(words[first]),
        Long.parseLong(words[first + 1]),
        Long.parseLong(words[first + 2]));
  }
}

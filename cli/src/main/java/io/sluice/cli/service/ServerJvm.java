package io.sluice.cli.service;

import io.sluice.common.config.DataSize;
import io.sluice.server.config.ProcessMemory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Flags of the JVMs of services. A shuffle server's follow from the budget of its process, and that
 * from its settings or else from the memory there is ({@link ProcessMemory#current}). Blocks live
 * outside the heap, so the heap is small: what is in it are connections, tables and Netty's
 * bookkeeping. The server itself takes what the heap and its fixed parts leave of the budget for
 * blocks, and refuses to start when that does not add up; the limit on direct memory is the budget,
 * as a second line.
 */
public final class ServerJvm {
  private static final long MIB = 1L << 20;
  private static final long HEAP_MIN = 64 * MIB;
  private static final long HEAP_MAX = 1024 * MIB;
  private static final int HEAP_SHARE = 8;
  private static final long COORDINATOR_HEAP_MIN = 128 * MIB;
  private static final long COORDINATOR_HEAP_MAX = 1024 * MIB;
  private static final int COORDINATOR_HEAP_SHARE = 4;
  private static final int SURVIVOR_SHARE = 30;

  private static final Pattern HEAP_OPTION =
      Pattern.compile("(?:-Xmx|-XX:MaxHeapSize=)(\\d{1,12})([kmgtKMGT]?)");
  private static final Pattern DIRECT_OPTION =
      Pattern.compile("-XX:MaxDirectMemorySize=(\\d{1,12})([kmgtKMGT]?)");
  private static final Map<String, Integer> SHIFTS = Map.of("k", 10, "m", 20, "g", 30, "t", 40);

  // Asks for huge pages for whatever is 2 MiB and larger (glibc 2.35; others ignore it): blocks lie
  // scattered over all of the arena, and copying them costs a fifth to two fifths less; and a disk
  // reads into huge pages 1.4 to 1.7 times as fast (docs/benchmarks/storage.md). The threshold is
  // fixed, as otherwise whatever was freed once raises it, and what is as large comes from memory
  // that may lie in small pages. bin/sluice sets the same.
  private static final Map<String, String> ENVIRONMENT =
      Map.of("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=2097152");

  private ServerJvm() {}

  /** Variables that a server's process is to be started with. */
  public static Map<String, String> environment() {
    return ENVIRONMENT;
  }

  /** The flags; the same for {@code bin/sluice server run} and for local clusters. */
  public static List<String> flags(DataSize budget) {
    long heap = heap(budget) / MIB;
    return List.of(
        "-Xms" + heap + "m",
        "-Xmx" + heap + "m",
        "-XX:MaxDirectMemorySize=" + budget.toBytes() / MIB + "m",
        "-XX:MaxMetaspaceSize=128m",
        "-XX:ReservedCodeCacheSize=64m",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError");
  }

  /** What a JVM with these flags may take on this machine. */
  public static ProcessMemory memory(DataSize budget) {
    return new ProcessMemory(heap(budget), budget.toBytes(), ProcessMemory.current().machine());
  }

  /**
   * What the JVM that {@code bin/sluice} is about to start may take: its flags, and what
   * SLUICE_JAVA_OPTS says behind them. A little less heap than it will be: what is refused by this
   * would be refused there, and not the other way round.
   *
   * @param environment of the script, and so of this process
   */
  public static ProcessMemory memoryToCome(DataSize budget, Map<String, String> environment) {
    String options = environment.getOrDefault("SLUICE_JAVA_OPTS", "");
    ProcessMemory flags = memory(budget);
    long heap = last(HEAP_OPTION, options).orElse(flags.heap());
    // A JVM counts one of its two survivor spaces, a thirtieth of the heap each, as no part of it.
    long counted = Math.max(0, heap - heap / SURVIVOR_SHARE - MIB);
    return new ProcessMemory(
        counted, last(DIRECT_OPTION, options).orElse(flags.direct()), flags.machine());
  }

  /** The value of the last of such options, which wins; in bytes. */
  private static Optional<Long> last(Pattern option, String options) {
    return Stream.of(options.split("\\s+"))
        .map(option::matcher)
        .filter(Matcher::matches)
        .map(found -> Long.parseLong(found.group(1)) << SHIFTS.getOrDefault(unit(found), 0))
        .reduce((earlier, later) -> later);
  }

  private static String unit(Matcher found) {
    return found.group(2).toLowerCase(Locale.ROOT);
  }

  private static long heap(DataSize budget) {
    return Math.min(Math.max(budget.toBytes() / HEAP_SHARE, HEAP_MIN), HEAP_MAX);
  }

  /**
   * Flags of a coordinator's JVM. No data passes through it: a quarter of the memory there is
   * leaves room for code, threads and buffers of connections in a container of 512 MiB, and of a
   * large machine it need not have more than a gibibyte.
   *
   * @param machine memory of the machine or of the control group the process is in, in bytes
   */
  public static List<String> coordinatorFlags(long machine) {
    long heap =
        Math.min(
            Math.max(machine / COORDINATOR_HEAP_SHARE, COORDINATOR_HEAP_MIN), COORDINATOR_HEAP_MAX);
    return List.of(
        "-Xms64m", "-Xmx" + heap / MIB + "m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");
  }
}

package io.sluice.benchmarks.crowded.child;

import java.nio.file.Path;
import java.util.List;

/**
 * What a server is given.
 *
 * @param directory on its disk
 * @param memoryMib of the process
 * @param diskMibPerSecond that its disk writes; 0 for as much as it can
 * @param connections at most
 * @param seedKib of each connection
 * @param grpc whether it serves gRPC, and keeps memory for that
 */
public record ServerSpec(
    Path directory,
    int memoryMib,
    int diskMibPerSecond,
    int connections,
    int seedKib,
    boolean grpc) {

  /** For {@link #parse}. */
  public List<String> arguments() {
    return List.of(
        directory.toString(),
        Integer.toString(memoryMib),
        Integer.toString(diskMibPerSecond),
        Integer.toString(connections),
        Integer.toString(seedKib),
        Boolean.toString(grpc));
  }

  static ServerSpec parse(String[] args) {
    return new ServerSpec(
        Path.of(args[0]),
        Integer.parseInt(args[1]),
        Integer.parseInt(args[2]),
        Integer.parseInt(args[3]),
        Integer.parseInt(args[4]),
        Boolean.parseBoolean(args[5]));
  }
}

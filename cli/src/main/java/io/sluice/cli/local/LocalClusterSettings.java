package io.sluice.cli.local;

import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Map;

/**
 * What can be chosen about a local cluster.
 *
 * @param servers how many shuffle servers
 * @param serverMemory budget of each server's process
 * @param serverProperties further settings of every server
 * @param ownProperties settings of single servers beyond these, by their number from 1 on
 * @param coordinatorProperties further settings of the coordinator
 * @param classPath of all processes, as {@code java} takes it
 * @param serverLauncher a command that becomes the server behind it, such as {@code nice}; empty
 *     for none
 */
public record LocalClusterSettings(
    int servers,
    DataSize serverMemory,
    Map<String, String> serverProperties,
    Map<Integer, Map<String, String>> ownProperties,
    Map<String, String> coordinatorProperties,
    String classPath,
    List<String> serverLauncher) {
  public LocalClusterSettings {
    serverProperties = Map.copyOf(serverProperties);
    ownProperties = Map.copyOf(ownProperties);
    coordinatorProperties = Map.copyOf(coordinatorProperties);
    serverLauncher = List.copyOf(serverLauncher);
  }

  /** Servers that are alike. */
  public LocalClusterSettings(
      int servers,
      DataSize serverMemory,
      Map<String, String> serverProperties,
      Map<String, String> coordinatorProperties,
      String classPath) {
    this(
        servers,
        serverMemory,
        serverProperties,
        Map.of(),
        coordinatorProperties,
        classPath,
        List.of());
  }

  public LocalClusterSettings(
      int servers, DataSize serverMemory, Map<String, String> serverProperties, String classPath) {
    this(servers, serverMemory, serverProperties, Map.of(), classPath);
  }

  /** Processes with this one's own class path. */
  public LocalClusterSettings(
      int servers, DataSize serverMemory, Map<String, String> serverProperties) {
    this(servers, serverMemory, serverProperties, System.getProperty("java.class.path"));
  }
}

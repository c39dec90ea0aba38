package io.sluice.cli.local;

import io.sluice.common.config.DataSize;
import java.util.Map;

/**
 * What can be chosen about a local cluster.
 *
 * @param servers how many shuffle servers
 * @param serverMemory budget of each server's process
 * @param serverProperties further settings of every server
 */
public record LocalClusterSettings(
    int servers, DataSize serverMemory, Map<String, String> serverProperties) {
  public LocalClusterSettings {
    serverProperties = Map.copyOf(serverProperties);
  }
}

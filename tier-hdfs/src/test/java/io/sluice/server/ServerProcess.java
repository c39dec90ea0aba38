package io.sluice.server;

import io.sluice.common.config.ConfigReader;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server as a process, to be killed: says its ports and id, ends when standard input does. */
final class ServerProcess {
  private ServerProcess() {}

  /**
   * @param args settings, each {@code name=value}
   */
  public static void main(String[] args) throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (String setting : args) {
      String[] parts = setting.split("=", 2);
      settings.put(parts[0], parts[1]);
    }
    ServerConfig config =
        ServerConfig.from(
            new ConfigReader(List.of(ServerConfig.SECTION)).values("test", settings).read());
    ShuffleServer server = ShuffleServer.start(config);
    System.out.println(
        "ready " + server.port() + " " + server.httpPort() + " " + server.identity().id());
    System.in.readAllBytes();
    System.exit(0);
  }
}

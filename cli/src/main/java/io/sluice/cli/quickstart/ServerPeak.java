package io.sluice.cli.quickstart;

import io.sluice.cli.local.LocalServer;
import io.sluice.cli.process.ProcessUsage;

/** What a server's process came to, as Linux saw it. */
record ServerPeak(String name, ProcessUsage usage) {
  static ServerPeak of(LocalServer server) {
    return new ServerPeak(server.process().name(), server.usage());
  }
}

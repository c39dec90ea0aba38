package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real services tell whoever gave them a socket when they can be used, and when they stop. */
@EnabledOnOs(OS.LINUX)
class SupervisedServicesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Path directory;

  SupervisedServicesTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void sayWhenTheyAreReadyAndHowLongTheirStopMayTake() throws Exception {
    String socket = directory.resolve("notify").toString();
    try (NotifyListener systemd = NotifyListener.at(socket)) {
      try (ChildProcess coordinator =
          start(socket, "coordinator", "coordinator.data-dir=" + directory.resolve("zookeeper"))) {
        Announcement announced = Announcement.parse(coordinator.awaitAnnouncement(DEADLINE));
        assertThat(systemd.next()).isEqualTo("READY=1\nSTATUS=" + announced);
        try (ChildProcess server =
            start(
                socket,
                "server",
                "server.coordinators=" + announced.address(),
                "server.memory=300m",
                "server.stop.flush-timeout=20s")) {
          assertThat(systemd.next()).startsWith("STATUS=no coordinator");
          String ready = "READY=1\nSTATUS=" + server.awaitAnnouncement(DEADLINE);
          assertThat(systemd.next()).isEqualTo(ready);
        }
        assertThat(systemd.next())
            .startsWith("STOPPING=1")
            .endsWith("EXTEND_TIMEOUT_USEC=60000000");
      }
      assertThat(systemd.next()).startsWith("STOPPING=1").endsWith("EXTEND_TIMEOUT_USEC=40000000");
    }
  }

  private ChildProcess start(String socket, String service, String... settings) throws IOException {
    Path own = Files.createDirectory(directory.resolve(service));
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx64m", "-XX:MaxDirectMemorySize=300m"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.sluice.cli.Sluice"));
    line.addAll(List.of(service, "run", "--until-stdin-closes"));
    for (String listening : List.of("host=127.0.0.1", "bind-address=127.0.0.1", "port=0")) {
      line.addAll(List.of("--set", service + "." + listening));
    }
    line.addAll(List.of("--set", service + ".http.port=0"));
    for (String setting : settings) {
      line.addAll(List.of("--set", setting));
    }
    return ChildProcess.start(
        new ChildSpec(
            service,
            line,
            Map.of("NOTIFY_SOCKET", socket),
            own,
            own.resolve("log"),
            Announcement::isOne));
  }
}

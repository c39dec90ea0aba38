package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What systemd hears, on a real socket. */
@EnabledOnOs(OS.LINUX)
class SupervisorTest {
  private static final Announcement ANNOUNCEMENT = new Announcement("a:1", "a:2");

  private final Path directory;

  SupervisorTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void hearsOfEveryStepOfAServicesLife() throws Exception {
    String path = directory.resolve("notify").toString();
    try (NotifyListener systemd = NotifyListener.at(path)) {
      Supervisor supervisor = Supervisor.of(path);

      supervisor.waiting("for a coordinator");
      supervisor.ready(ANNOUNCEMENT);
      supervisor.stopping(Duration.ofSeconds(90));

      assertThat(systemd.next()).isEqualTo("STATUS=for a coordinator");
      assertThat(systemd.next()).isEqualTo("READY=1\nSTATUS=ready address=a:1 http=a:2");
      assertThat(systemd.next())
          .isEqualTo("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=90000000");
    }
  }

  @Test
  void hearsInTheAbstractNamespaceToo() throws Exception {
    String name = "@sluice-" + UUID.randomUUID();
    try (NotifyListener systemd = NotifyListener.at(name)) {
      Supervisor.of(name).ready(ANNOUNCEMENT);

      assertThat(systemd.next()).startsWith("READY=1\n");
    }
  }

  @Test
  void nothingIsSaidWhereNobodyAsked() {
    Supervisor.of("").ready(ANNOUNCEMENT);
  }

  @Test
  void aServiceGoesOnWhereNobodyListens() {
    String gone = directory.resolve("gone").toString();
    assertThatThrownBy(() -> new NotifySocket(gone).send("READY=1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(gone);

    Supervisor.of(gone).ready(ANNOUNCEMENT);
  }
}

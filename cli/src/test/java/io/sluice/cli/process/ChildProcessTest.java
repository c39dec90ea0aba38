package io.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With real children of the shell. */
class ChildProcessTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Path directory;

  ChildProcessTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void waitsForAnnouncementsAndLogsEverything() throws Exception {
    try (ChildProcess child = shell("echo noise; echo @one; read line; echo @$line; cat")) {
      assertThat(child.awaitAnnouncement(DEADLINE)).isEqualTo("@one");

      child.send("two");

      assertThat(child.awaitAnnouncement(DEADLINE)).isEqualTo("@two");
      assertThat(Files.readString(log())).isEqualTo("noise\n@one\n@two\n");
    }
  }

  @Test
  void namesTheExitCodeAndTheLogOfAChildThatEndsEarly() throws Exception {
    try (ChildProcess child = shell("echo the disk is on fire >&2; exit 3")) {
      assertThatThrownBy(() -> child.awaitAnnouncement(DEADLINE))
          .isInstanceOf(ChildFailedException.class)
          .hasMessageContaining("child ended with exit code 3")
          .hasMessageContaining("the disk is on fire");
    }
  }

  @Test
  void givesUpOnASilentChild() throws Exception {
    try (ChildProcess child = shell("cat")) {
      assertThatThrownBy(() -> child.awaitAnnouncement(Duration.ofMillis(10)))
          .hasMessageContaining("said nothing");
    }
  }

  @Test
  void tellsTheExitCodeOfAChildThatEndsByItselfAndNoneBefore() throws Exception {
    try (ChildProcess child = shell("read line; exit 3")) {
      assertThat(child.awaitEnd(Duration.ofMillis(10))).isEmpty();

      child.send("end");

      assertThat(child.awaitEnd(DEADLINE)).hasValue(3);
    }
  }

  @Test
  void endsGrandchildrenToo() throws Exception {
    ChildProcess child = shell("exec 3<&0; sh -c 'echo @$$; cat <&3' & wait");
    long grandchild = Long.parseLong(child.awaitAnnouncement(DEADLINE).substring(1));
    ProcessHandle handle = ProcessHandle.of(grandchild).orElseThrow();

    child.close();

    handle.onExit().get(60, TimeUnit.SECONDS);
    assertThat(ProcessHandle.of(child.pid()).map(ProcessHandle::isAlive)).isNotEqualTo(true);
  }

  @Test
  void countsWhatAChildUses() throws Exception {
    try (ChildProcess child = shell("echo @up; cat")) {
      assertThat(child.awaitAnnouncement(DEADLINE)).isEqualTo("@up");

      ProcessUsage usage = child.usage().orElseThrow();

      assertThat(usage.residentBytes()).isPositive();
      assertThat(usage.peakResidentBytes()).isGreaterThanOrEqualTo(usage.residentBytes());
      assertThat(usage.threads()).isPositive();
      assertThat(usage.openFiles()).isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void groupEndsAllItsChildrenOnce() throws Exception {
    AtomicInteger afterwards = new AtomicInteger();
    ProcessGroup group = ProcessGroup.endedBySignals(afterwards::incrementAndGet);
    ProcessHandle first = ProcessHandle.of(group.start(spec("cat")).pid()).orElseThrow();
    ProcessHandle second = ProcessHandle.of(group.start(spec("cat")).pid()).orElseThrow();

    group.close();
    group.close();

    first.onExit().get(60, TimeUnit.SECONDS);
    second.onExit().get(60, TimeUnit.SECONDS);
    assertThat(afterwards).hasValue(1);
    assertThatThrownBy(() -> group.start(spec("cat"))).hasMessageContaining("is ending");
  }

  private ChildProcess shell(String script) throws Exception {
    return ChildProcess.start(spec(script));
  }

  private ChildSpec spec(String script) {
    return new ChildSpec(
        "child",
        List.of("sh", "-c", script),
        Map.of(),
        directory,
        log(),
        line -> line.startsWith("@"));
  }

  private Path log() {
    return directory.resolve("log");
  }
}

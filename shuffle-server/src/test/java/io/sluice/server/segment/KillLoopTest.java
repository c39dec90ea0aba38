package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process with a real disk and catalog is killed with SIGKILL at random moments, while it
 * recovers and while it writes, rolls segments and removes shuffles; its successor must find every
 * unit that was said to be written, and nothing that is wrong. {@code -Pchaos} does it 200 times
 * under load, and a third as often while it starts.
 */
class KillLoopTest {
  private static final int ROUNDS = Integer.getInteger("sluice.kill.rounds", 8);
  private static final long SEED = Long.getLong("sluice.kill.seed", 20261121);

  /** One life in so many ends before it has found its feet. */
  private static final int EARLY_ONE_IN = 4;

  private static final int START_MILLIS = 900;
  private static final int LIFE_MILLIS = 700;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void whatWasFlushedOutlivesEveryKill() throws Exception {
    long checked = 0;
    long unconfirmed = 0;
    DyingServer.Report last = new DyingServer.Report(0, 0, 0);
    int round = 1;
    for (int underLoad = 0; underLoad < ROUNDS; round++) {
      boolean early = round > 1 && random.nextInt(EARLY_ONE_IN) == 0;
      if (early) {
        killWhileItStarts(round);
      } else {
        last = killWhileItWrites(round);
        checked += last.checked();
        unconfirmed += last.unconfirmed();
        underLoad++;
      }
    }
    last = killWhileItWrites(round);

    System.out.printf(
        Locale.ROOT,
        "%d kills, %d of them under load: %d extents checked, %d of them never confirmed; %d shuffles removed%n",
        round,
        ROUNDS + 1,
        checked + last.checked(),
        unconfirmed + last.unconfirmed(),
        last.removed());
    assertThat(last.checked()).as("the load was too light to prove anything").isGreaterThan(100);
  }

  private void killWhileItStarts(int round) throws IOException, InterruptedException {
    Process process = start(round);
    try {
      awaitKill(process, random.nextInt(START_MILLIS));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private DyingServer.Report killWhileItWrites(int round) throws IOException, InterruptedException {
    Process process = start(round);
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      String line = out.readLine();
      assertThat(line).as("round %d did not come up, see its errors above", round).isNotNull();
      awaitKill(process, random.nextInt(LIFE_MILLIS));
      process.destroyForcibly().waitFor();
      assertThat(temporary(round)).as("RocksDB's library went with its process").isEmptyDirectory();
      return DyingServer.Report.parse(line);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Waits for a death that must not come by itself. */
  private static void awaitKill(Process process, int millis) throws InterruptedException {
    assertThat(process.waitFor(millis, TimeUnit.MILLISECONDS))
        .as("the process ended by itself, see its errors above")
        .isFalse();
  }

  private Path temporary(int round) {
    return directory.resolve("tmp-" + round);
  }

  private Process start(int round) throws IOException {
    Files.createDirectory(temporary(round));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + temporary(round),
            "-cp",
            System.getProperty("java.class.path"),
            DyingServer.class.getName(),
            directory.resolve("disk").toString(),
            directory.resolve("oracle").toString(),
            Long.toString(random.nextLong()),
            Integer.toString(round))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}

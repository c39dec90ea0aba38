package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Sluices;
import io.sluice.common.config.ConfigReader;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' commands against a real coordinator without servers. */
class OperatorCommandsTest {
  @SuppressWarnings("NullAway.Init")
  private static Coordinator coordinator;

  @BeforeAll
  static void start(@TempDir Path directory) {
    Map<String, String> values =
        Map.of(
            "coordinator.host", "127.0.0.1",
            "coordinator.bind-address", "127.0.0.1",
            "coordinator.port", "0",
            "coordinator.http.port", "0",
            "coordinator.data-dir", directory.toString());
    coordinator =
        Coordinator.start(
            CoordinatorConfig.from(
                new ConfigReader(List.of(CoordinatorConfig.SECTION))
                    .values("test", values)
                    .read()));
    // The election takes a moment.
    Sluices.untilOk("cluster", "status", "--coordinator", address());
  }

  @AfterAll
  static void stop() {
    coordinator.close();
  }

  private static String address() {
    return coordinator.address().toString();
  }

  private static Sluices.Outcome run(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--coordinator";
    all[args.length + 1] = address();
    return Sluices.run(all);
  }

  @Test
  void quotasAreSetShownAndRemoved() {
    assertThat(run("quota", "set", "user:ada lovelace", "--bytes", "2t", "--applications", "3"))
        .matches(Sluices.Outcome::isOk);
    assertThat(run("quota", "get").out()).contains("user:ada lovelace", "2.0 TiB", "3");
    assertThat(run("quota", "get", "user:ada lovelace", "-o", "yaml").out())
        .contains("- subject: user:ada lovelace", "bytes: 2199023255552", "applications: 3");
    assertThat(run("quota", "get", "--output", "json").out()).contains("\"subject\" : \"user:ada");

    assertThat(run("quota", "remove", "user:ada lovelace")).matches(Sluices.Outcome::isOk);
    assertThat(run("quota", "get").out()).doesNotContain("ada");
    assertThat(run("quota", "get", "user:ada lovelace").code()).isEqualTo(ExitCode.FAILED);
    assertThat(run("quota", "set", "ada", "--partitions", "1").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aUserCanBeExemptFromWhatEachMayHave() {
    assertThat(run("quota", "set", "user:*", "--applications", "3")).matches(Sluices.Outcome::isOk);
    assertThat(run("quota", "set", "user:nightly", "--unlimited")).matches(Sluices.Outcome::isOk);
    assertThat(run("quota", "get").out())
        .containsPattern("user:\\* +- +- +3\\n")
        .containsPattern("user:nightly +- +- +-\\n");
    assertThat(run("quota", "set", "user:nightly", "--unlimited", "--applications", "1").code())
        .isEqualTo(ExitCode.USAGE);
    for (String whose : List.of("user:*", "user:nightly")) {
      assertThat(run("quota", "remove", whose)).matches(Sluices.Outcome::isOk);
    }
  }

  @Test
  void aQuotaWithoutALimitIsNoQuota() {
    Sluices.Outcome outcome = run("quota", "set", "user:nobody");
    assertThat(outcome.code()).isEqualTo(ExitCode.USAGE);
    assertThat(outcome.err()).contains("--bytes, --partitions or --applications");
    assertThat(run("quota", "get").out()).doesNotContain("nobody");
  }

  @Test
  void anIdThatIsNoneIsSaidInWords() {
    for (String[] command :
        List.of(
            new String[] {"app", "kill", "12-zz"},
            new String[] {"app", "show", "x"},
            new String[] {"server", "drain", "1-2-3-4-5"},
            new String[] {"shuffle", "show", "g0000000-0000-0000-0000-000000000000", "3"})) {
      Sluices.Outcome outcome = run(command);
      assertThat(outcome.code()).as(String.join(" ", command)).isEqualTo(ExitCode.USAGE);
      assertThat(outcome.err())
          .contains("'" + command[2] + "' is no id: one is 32 hexadecimal digits")
          .doesNotContain("Exception", "For input", "UUID");
    }
  }

  @Test
  void aCoordinatorThatCannotBeIsSaidInALine() {
    Sluices.Outcome none = Sluices.run("cluster", "status", "--coordinator", "foo");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("--coordinator: 'foo' is no host:port").doesNotContain("\tat ");

    Sluices.Outcome gone = Sluices.run("app", "list", "--coordinator", "nowhere.invalid:7400");
    assertThat(gone.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(gone.err())
        .contains("no coordinator answers: nowhere.invalid:7400: ")
        .hasLineCount(1);
  }

  @Test
  void anIdOfZerosIsNobodys() {
    Sluices.Outcome nil = run("server", "drain", "00000000-0000-0000-0000-000000000000");

    assertThat(nil.code()).isEqualTo(ExitCode.FAILED);
    assertThat(nil.err()).contains("server id 00000000-0000-0000-0000-000000000000 is nobody's");
  }

  @Test
  void admissionChangesOnlyWhatIsNamed() {
    assertThat(run("admission", "set", "--deny", "eve,mallory")).matches(Sluices.Outcome::isOk);
    assertThat(run("admission", "set", "--load-max", "0.9")).matches(Sluices.Outcome::isOk);

    assertThat(run("admission", "get").out())
        .contains("allowed  everybody", "denied   eve, mallory", "up to 90 %");
    assertThat(run("admission", "set", "--deny", "")).matches(Sluices.Outcome::isOk);
    assertThat(run("admission", "get").out()).contains("denied   nobody");
    assertThat(run("admission", "set", "--load-max", "2").code()).isEqualTo(ExitCode.FAILED);
    Sluices.Outcome nothing = run("admission", "set");
    assertThat(nothing.code()).isEqualTo(ExitCode.USAGE);
    assertThat(nothing.err()).contains("--allow, --deny or --load-max");
  }

  @Test
  void whatIsNotThereIsSaid() {
    String nobody = new UUID(1, 2).toString();
    for (String[] command :
        List.of(
            new String[] {"app", "show", nobody},
            new String[] {"app", "kill", nobody},
            new String[] {"shuffle", "show", nobody, "3"},
            new String[] {"server", "exclude", nobody})) {
      Sluices.Outcome outcome = run(command);
      assertThat(outcome.code()).as(String.join(" ", command)).isEqualTo(ExitCode.FAILED);
      assertThat(outcome.err()).contains(nobody);
    }
    Sluices.Outcome undrained = run("server", "undrain", nobody);
    assertThat(undrained).matches(Sluices.Outcome::isOk);
    assertThat(undrained.out()).isEqualTo("server " + nobody + " is not there\n");
    assertThat(run("app", "list").out()).startsWith("APPLICATION");
    assertThat(run("app", "list", "-o", "json").out()).isEqualTo("[ ]\n");
  }

  @Test
  void theDoctorSaysWhatDoesNotWork() {
    Sluices.Outcome outcome = run("doctor");

    assertThat(outcome.code()).as("no server is there").isEqualTo(ExitCode.FAILED);
    assertThat(outcome.out())
        .contains("java", "leads term", "clock", "there is none: jobs have nowhere to write");
    assertThat(Sluices.run("doctor", "--coordinator", "127.0.0.1:1").out())
        .contains("coordinator", "fail", "no coordinator answers");
  }

  @Test
  void nobodyAnsweringIsUnavailable() {
    assertThat(Sluices.run("app", "list", "--coordinator", "127.0.0.1:1").code())
        .isEqualTo(ExitCode.UNAVAILABLE);
  }
}

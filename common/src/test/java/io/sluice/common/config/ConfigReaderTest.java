package io.sluice.common.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {
  enum Codec {
    LZ4,
    NO_CODEC
  }

  private static final ConfigKey<DataSize> MEMORY =
      ConfigKey.size("pump.memory").doc("Memory.").between("1m", "1g").defaultsTo("64m");
  private static final ConfigKey<DataSize> RESERVE =
      ConfigKey.size("pump.reserve").doc("Reserve.").defaultsTo("1m");
  private static final ConfigKey<Duration> PATIENCE =
      ConfigKey.duration("pump.patience").doc("Patience.").atLeast("1ms").defaultsTo("30s");
  private static final ConfigKey<Integer> THREADS =
      ConfigKey.integer("pump.threads").doc("Threads.").atMost("64").defaultsTo("4");
  private static final ConfigKey<Codec> CODEC =
      ConfigKey.oneOf("pump.codec", Codec.class).doc("Codec.").defaultsTo("no-codec");
  private static final ConfigKey<Boolean> VERIFY =
      ConfigKey.bool("pump.verify").doc("Verify.").defaultsTo("true");
  private static final ConfigKey<Optional<String>> SECRET =
      ConfigKey.text("pump.secret").doc("Secret.").secret().optional();
  private static final ConfigKey<List<HostPort>> PEERS =
      ConfigKey.hostPorts("pump.peers").doc("Peers.").required();
  private static final ConfigSection SECTION =
      ConfigSection.of(
              "Pump",
              "About pumps.",
              List.of(MEMORY, RESERVE, PATIENCE, THREADS, CODEC, VERIFY, SECRET, PEERS))
          .withChecks(
              ConfigCheck.over(
                  List.of(MEMORY, RESERVE),
                  (settings, problems) -> {
                    if (settings.get(RESERVE).compareTo(settings.get(MEMORY)) > 0) {
                      problems.accept("pump.reserve is larger than pump.memory");
                    }
                  }));

  private static ConfigReader reader() {
    return new ConfigReader(List.of(SECTION));
  }

  private static SluiceException refused(Map<String, String> values) {
    return catchThrowableOfType(
        SluiceException.class, () -> reader().values("test", values).read());
  }

  @Test
  void fillsInDefaults() {
    Settings settings = reader().values("test", Map.of("pump.peers", "a:1, b:2")).read();

    assertThat(settings.get(MEMORY).toBytes()).isEqualTo(64L << 20);
    assertThat(settings.get(PATIENCE)).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.get(THREADS)).isEqualTo(4);
    assertThat(settings.get(CODEC)).isEqualTo(Codec.NO_CODEC);
    assertThat(settings.get(VERIFY)).isTrue();
    assertThat(settings.get(SECRET)).isEmpty();
    assertThat(settings.get(PEERS)).containsExactly(new HostPort("a", 1), new HostPort("b", 2));
    assertThat(settings.isGiven(PEERS)).isTrue();
    assertThat(settings.isGiven(MEMORY)).isFalse();
  }

  @Test
  void listsEveryProblemAtOnce() {
    SluiceException refusal =
        refused(
            Map.of(
                "pump.memroy", "1m",
                "pump.memory", "512",
                "pump.threads", "65",
                "pump.patience", "soon",
                "pump.codec", "zip",
                "pump.verify", "yes"));

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(refusal.getMessage())
        .contains("7 problems")
        .contains("unknown key pump.memroy (test): did you mean pump.memory?")
        .contains("pump.memory = 512 (test): not a size")
        .contains("pump.threads = 65 (test): out of bounds, allowed is at most 64")
        .contains("pump.patience = soon (test): not a duration")
        .contains("pump.codec = zip (test): not one of lz4, no-codec")
        .contains("pump.verify = yes (test): neither true nor false")
        .contains("pump.peers is required: Peers.");
  }

  @Test
  void rejectsAnUnknownKeyWithoutGuessingWhenNothingIsNear() {
    assertThat(refused(Map.of("pump.peers", "a:1", "colour", "red")).getMessage())
        .contains("unknown key colour (test)")
        .doesNotContain("did you mean");
    // Near by letters, but only since both are about pumps.
    assertThat(refused(Map.of("pump.peers", "a:1", "pump.xyz", "red")).getMessage())
        .contains("unknown key pump.xyz (test)")
        .doesNotContain("did you mean");
  }

  @Test
  void reportsContradictionsBetweenKeys() {
    assertThat(
            refused(Map.of("pump.peers", "a:1", "pump.reserve", "2m", "pump.memory", "1m"))
                .getMessage())
        .contains("pump.reserve is larger than pump.memory");
  }

  @Test
  void doesNotAskARuleOverAKeyThatCouldNotBeRead() {
    assertThat(
            refused(Map.of("pump.peers", "a:1", "pump.reserve", "1t", "pump.memory", "lots"))
                .getMessage())
        .contains("1 problem\n")
        .doesNotContain("larger");
  }

  @Test
  void neverPrintsSecrets() {
    Settings settings =
        reader().values("test", Map.of("pump.peers", "a:1", "pump.secret", "hunter2")).read();

    assertThat(settings.get(SECRET)).contains("hunter2");
    assertThat(settings.describe())
        .doesNotContain("hunter2")
        .contains("pump.secret = (redacted)  # test")
        .contains("pump.memory = 64m  # default");
  }

  @Test
  void filesMayBeginWithAByteOrderMarkAndAreUtf8(@TempDir Path directory) throws IOException {
    Path marked = directory.resolve("marked.properties");
    Files.writeString(marked, "\uFEFFpump.peers=a:1\n");
    assertThat(reader().file(marked).read().get(PEERS)).containsExactly(new HostPort("a", 1));

    Path latin = directory.resolve("latin.properties");
    Files.write(latin, "pump.peers=a:1\n# gr\u00fc\u00dfe\n".getBytes(ISO_8859_1));
    assertThatThrownBy(() -> reader().file(latin).read())
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("latin.properties: not UTF-8, see line 2");
  }

  @Test
  void aFileThatCannotBeReadIsToldWithAllElseAndWhatItMayHaveSaidIsHeldAgainstNobody(
      @TempDir Path directory) throws IOException {
    Path half = directory.resolve("half.properties");
    Files.writeString(half, "pump.peers=a:1\npump.secret=\\u00\n");
    ConfigReader wrong =
        reader()
            .file(directory.resolve("gone.properties"))
            .file(half)
            .values(
                "command line",
                Map.of("pump.memroy", "1m", "pump.threads", "65", "pump.reserve", "65m"));

    assertThatThrownBy(wrong::read)
        .hasMessageContaining("4 problems")
        .hasMessageContaining("gone.properties: there is no such file")
        .hasMessageContaining("half.properties: a \\u is not followed by four hexadecimal digits")
        .hasMessageContaining("unknown key pump.memroy")
        .hasMessageContaining("pump.threads = 65");
    ConfigReader contradicting =
        reader()
            .file(half)
            .values("command line", Map.of("pump.reserve", "65m", "pump.memory", "64m"));
    assertThatThrownBy(contradicting::read)
        .hasMessageContaining("2 problems")
        .hasMessageContaining("pump.reserve is larger than pump.memory");
  }

  @Test
  void laterSourcesOverrideEarlierOnes(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("pump.properties");
    Files.writeString(file, "pump.peers=a:1\npump.threads = 8\npump.memory=2m\n");

    Settings settings =
        reader().file(file).values("command line", Map.of("pump.threads", "9")).read();

    assertThat(settings.get(THREADS)).isEqualTo(9);
    assertThat(settings.get(MEMORY)).isEqualTo(DataSize.parse("2m"));
    assertThat(settings.describe()).contains("pump.memory = 2m  # " + file);
  }

  @Test
  void reportsAKeyGivenTwiceInOneFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("pump.properties");
    Files.writeString(file, "pump.peers=a:1\npump.threads = 8\npump.threads = 9\n");

    assertThatThrownBy(() -> reader().file(file).read())
        .hasMessageContaining("pump.threads is given more than once (" + file + "): 8 and 9");
  }

  @Test
  void reportsEveryKeyThatOneSourceGivesTwiceWithItsValuesButForSecretsAndTheUnknown() {
    List<Assignment> given =
        List.of(
            new Assignment("pump.peers", "a:1"),
            new Assignment("pump.threads", "8"),
            new Assignment("pump.secret", "hunter2"),
            new Assignment("pump.threads", "9"),
            new Assignment("pump.secret", "hunter3"),
            new Assignment("pump.secert", "hunter4"),
            new Assignment("pump.secert", "hunter4"),
            new Assignment("pump.patience", "soon"));

    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> reader().assignments("command line", given).read());

    assertThat(refusal.getMessage())
        .contains("5 problems")
        .contains("unknown key pump.secert")
        .contains("pump.threads is given more than once (command line): 8 and 9\n")
        .contains("pump.secret is given more than once (command line)\n")
        .contains("pump.secert is given more than once (command line)\n")
        .contains("pump.patience = soon (command line)")
        .doesNotContain("hunter");
  }

  @Test
  void asksWhetherPortsDifferOfThoseThatAreRight() {
    ConfigKey<Integer> data =
        ConfigKey.integer("tap.port").doc("Port.").between("0", "65535").defaultsTo("7");
    ConfigKey<Integer> pages =
        ConfigKey.integer("tap.http.port").doc("Port.").between("0", "65535").defaultsTo("8");
    ConfigKey<Optional<Integer>> other =
        ConfigKey.integer("tap.grpc.port").doc("Port.").between("0", "65535").optional();
    ConfigSection taps =
        ConfigSection.of("Tap", "", List.of(data, pages, other))
            .withChecks(ConfigCheck.differentPorts(List.of(data, pages), List.of(other)));
    ConfigReader wrong =
        new ConfigReader(List.of(taps))
            .values("test", Map.of("tap.port", "9", "tap.http.port", "-1", "tap.grpc.port", "9"));

    assertThatThrownBy(wrong::read)
        .hasMessageContaining("2 problems")
        .hasMessageContaining("tap.http.port = -1 (test): out of bounds")
        .hasMessageContaining("tap.port and tap.grpc.port are both 9");
    for (Map<String, String> right :
        List.of(
            Map.<String, String>of(),
            Map.of("tap.port", "0", "tap.http.port", "0", "tap.grpc.port", "0"))) {
      assertThat(new ConfigReader(List.of(taps)).values("test", right).read().get(other))
          .isEqualTo(right.isEmpty() ? Optional.empty() : Optional.of(0));
    }
  }

  @Test
  void aCheckMayLookAtTheWholeAsIfOnlyItsOwnKeysWereGiven() {
    List<ConfigKey<?>> own = List.of(MEMORY);
    ConfigCheck check =
        ConfigCheck.over(
            own,
            (settings, problems) -> {
              Settings only = settings.withOnly(own);
              assertThat(only.isGiven(MEMORY)).isTrue();
              assertThat(only.isGiven(THREADS)).isFalse();
              problems.accept(only.get(MEMORY) + " for " + only.get(THREADS));
            });

    assertThatThrownBy(
            () ->
                reader()
                    .check(check)
                    .check(check.onlyIf(settings -> settings.isGiven(CODEC)))
                    .values("test", Map.of("pump.memory", "2m", "pump.threads", "many"))
                    .read())
        .hasMessageContaining("3 problems")
        .hasMessageContaining("pump.threads = many")
        .hasMessageContaining("2m for 4");
  }

  @Test
  void aCheckOfWhatIsNotReadIsABug() {
    ConfigKey<Integer> strange = ConfigKey.integer("valve.turns").doc("Turns.").defaultsTo("1");
    ConfigCheck check = ConfigCheck.over(List.of(strange), (settings, problems) -> {});

    assertThatThrownBy(
            () -> reader().check(check).values("test", Map.of("pump.peers", "a:1")).read())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("valve.turns");
  }

  @Test
  void assignmentsHaveAKeyAndAnEqualsSign() {
    assertThat(Assignment.parse("a.b=c=d"))
        .extracting(Assignment::key, Assignment::value)
        .containsExactly("a.b", "c=d");
    assertThat(Assignment.parse("a=").value()).isEmpty();
    for (String wrong : List.of("a", "=a", "")) {
      assertThatThrownBy(() -> Assignment.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("KEY=VALUE");
    }
  }

  @Test
  void namesAFileThatCannotBeRead(@TempDir Path directory) {
    Path file = directory.resolve("missing.properties");

    assertThatThrownBy(() -> reader().file(file).read())
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("1 problem\n")
        .hasMessageContaining(file.toString());
  }

  @Test
  void toleratesTheKeysOfAnotherProcess() {
    ConfigSection other =
        ConfigSection.of(
            "Other", "", List.of(ConfigKey.integer("valve.turns").doc("Turns.").required()));

    Settings settings =
        reader()
            .tolerate(other)
            .values("test", Map.of("pump.peers", "a:1", "valve.turns", "many"))
            .read();

    assertThat(settings.get(THREADS)).isEqualTo(4);
  }

  @Test
  void refusesAnEmptyValue() {
    assertThat(refused(Map.of("pump.peers", "a:1", "pump.secret", "")).getMessage())
        .contains("pump.secret (test) is empty: leave the line out");
    assertThat(refused(Map.of("pump.peers", "")).getMessage())
        .contains("pump.peers (test) is empty: it is required");
  }

  @Test
  void refusesADefaultOutsideItsOwnBounds() {
    assertThatThrownBy(() -> ConfigKey.integer("x").doc("X.").atLeast("2").defaultsTo("1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void writesTheReferencePage() {
    assertThat(ConfigReference.markdown(List.of(SECTION)))
        .contains("## Pump\n\nAbout pumps.\n\n| key |")
        .contains("| `pump.memory` | size | `64m` | 1m to 1g | Memory. |\n")
        .contains("| `pump.codec` | lz4 \\| no-codec | `no-codec` |  | Codec. |\n")
        .contains("| `pump.secret` | text |  |  | Secret. Never printed. |\n")
        .contains("| `pump.peers` | list of host:port | *required* |  | Peers. |\n");
  }
}

package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.SluiceException;
import io.sluice.common.placement.Label;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said of lists. */
class ConfigListsTest {
  private static final ConfigKey<List<HostPort>> PEERS =
      ConfigKey.hostPorts("pump.peers").doc("Peers.").required();
  private static final ConfigKey<List<String>> TAGS =
      ConfigKey.listOf("pump.tags", "label", Label::parse).doc("Tags.").defaultsTo("a");
  private static final ConfigKey<Integer> THREADS =
      ConfigKey.integer("pump.threads").doc("Threads.").defaultsTo("4");
  private static final ConfigSection SECTION =
      ConfigSection.of("Pump", "About pumps.", List.of(PEERS, TAGS, THREADS));

  private static Settings read(Map<String, String> values) {
    return new ConfigReader(List.of(SECTION)).values("test", values).read();
  }

  private static String refusal(Map<String, String> values) {
    return catchThrowableOfType(SluiceException.class, () -> read(values)).detail();
  }

  @Test
  void tellsOfEachWrongElementAmongAllOtherProblems() {
    assertThat(
            refusal(
                Map.of(
                    "pump.peers", "a,b:99999, c:x ,d:1,",
                    "pump.tags", "a b,ok,c d",
                    "pump.threads", "many")))
        .startsWith("7 problems")
        .contains("pump.peers = a,b:99999, c:x ,d:1, (test): element 1, \"a\": ")
        .contains("element 2, \"b:99999\": port 99999 is not between 1 and 65535")
        .contains("element 3, \"c:x\": ")
        .contains("element 5 of the list is empty")
        .contains("pump.tags = a b,ok,c d (test): element 1, \"a b\": a label has 1 to 64")
        .contains("element 3, \"c d\": a label has 1 to 64")
        .contains("pump.threads = many (test): not a whole number");
  }

  @Test
  void refusesAMemberThatIsNamedTwiceHoweverItIsWritten() {
    assertThat(refusal(Map.of("pump.peers", "a:1,b:1,A:01,b:1")))
        .startsWith("2 problems")
        .contains("element 3, \"A:01\", is in the list already")
        .contains("element 4, \"b:1\", is in the list already");
  }

  @Test
  void takesOtherListsWithWhatTheyRepeat() {
    assertThat(read(Map.of("pump.peers", "a:1,a:2", "pump.tags", "x,x")).get(TAGS))
        .containsExactly("x", "x");
  }

  @Test
  void saysOfAListOfOneWhatItWouldOfTheValue() {
    assertThat(refusal(Map.of("pump.peers", "a:0")))
        .contains("pump.peers = a:0 (test): port 0 is not between 1 and 65535");
  }

  @Test
  void saysAllOfThemWhereOneMessageIsAskedFor() {
    assertThatThrownBy(() -> PEERS.parse("a,b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("element 1, \"a\"")
        .hasMessageContaining("; element 2, \"b\"");
  }
}

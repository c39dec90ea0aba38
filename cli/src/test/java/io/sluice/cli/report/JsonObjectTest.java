package io.sluice.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonObjectTest {
  @Test
  void writesMembersInTheOrderTheyWerePut() {
    JsonObject json =
        new JsonObject()
            .put("workload", "sort")
            .put("rows", 5L)
            .put("ratio", 1.25)
            .put("equal", true);

    assertThat(json)
        .hasToString("{\"workload\": \"sort\", \"rows\": 5, \"ratio\": 1.2500, \"equal\": true}");
  }

  @Test
  void escapesWhatWouldEndTheString() {
    assertThat(new JsonObject().put("a", "\"\\\n")).hasToString("{\"a\": \"\\\"\\\\\\u000a\"}");
  }

  @Test
  void writesNullForWhatIsNoNumber() {
    assertThat(new JsonObject().put("ratio", 0.0 / 0.0)).hasToString("{\"ratio\": null}");
  }
}

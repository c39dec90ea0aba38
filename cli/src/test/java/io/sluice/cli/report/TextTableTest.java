package io.sluice.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void alignsNamesLeftAndFiguresRight() {
    TextTable table = new TextTable("side", "s").add("sluice", "1.50").add("sort", "12.25");

    assertThat(table).hasToString("side        s\nsluice   1.50\nsort    12.25\n");
  }

  @Test
  void aCellOfSeveralLinesGoesOnBelowItself() {
    TextTable table =
        TextTable.ofWords("CHECK", "DETAIL").add("settings", "2:\n - a\n - b").add("x", "ok");

    assertThat(table)
        .hasToString(
            "CHECK     DETAIL\nsettings  2:\n           - a\n           - b\nx         ok\n");
  }

  @Test
  void refusesARowThatDoesNotFitTheHeader() {
    TextTable table = new TextTable("a", "b");

    assertThatThrownBy(() -> table.add("only one")).isInstanceOf(IllegalArgumentException.class);
  }
}

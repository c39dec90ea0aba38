package io.sluice.common.config;

import java.util.List;

/** Writes the reference page of all keys, so that code and documentation cannot drift apart. */
public final class ConfigReference {
  private static final String HEAD =
      "# Configuration\n"
          + "\n"
          + "<!-- Generated from the keys in the code; a test fails when this page is out of date. -->\n"
          + "\n"
          + "Every entry has a default that needs no touching, unless it says *required*. Sizes are\n"
          + "written with a binary unit (`512m` is 512 MiB), durations with a unit (`30s`, `500ms`).\n"
          + "A process refuses to start on an unknown key, an unreadable value, or settings that\n"
          + "contradict each other, and lists all problems at once.\n";

  private ConfigReference() {}

  /** The whole page as Markdown, lines ended by {@code \n}. */
  public static String markdown(List<ConfigSection> sections) {
    StringBuilder page = new StringBuilder(HEAD);
    for (ConfigSection section : sections) {
      page.append("\n## ").append(section.title()).append("\n\n");
      page.append(section.introduction()).append("\n\n");
      page.append("| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n");
      section.keys().forEach(key -> page.append(row(key)));
    }
    return page.toString();
  }

  private static String row(ConfigKey<?> key) {
    return "| `"
        + key.name()
        + "` | "
        + key.typeText()
        + " | "
        + defaultCell(key)
        + " | "
        + key.boundsText()
        + " | "
        + key.doc().replace("|", "\\|")
        + (key.isSecret() ? " Never printed." : "")
        + " |\n";
  }

  private static String defaultCell(ConfigKey<?> key) {
    if (key.isRequired()) {
      return "*required*";
    }
    return key.defaultText().isEmpty() ? "" : "`" + key.defaultText() + "`";
  }
}

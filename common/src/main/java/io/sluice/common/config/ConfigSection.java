package io.sluice.common.config;

import java.util.List;

/** The keys and rules of one component, in the order of the reference page. Immutable. */
public final class ConfigSection {
  private final String title;
  private final String introduction;
  private final List<ConfigKey<?>> keys;
  private final List<ConfigCheck> checks;

  private ConfigSection(
      String title, String introduction, List<ConfigKey<?>> keys, List<ConfigCheck> checks) {
    this.title = title;
    this.introduction = introduction;
    this.keys = keys;
    this.checks = checks;
  }

  /**
   * @param introduction a sentence or two under the title of the reference page
   */
  public static ConfigSection of(String title, String introduction, List<ConfigKey<?>> keys) {
    return new ConfigSection(title, introduction, List.copyOf(keys), List.of());
  }

  public ConfigSection withChecks(ConfigCheck... rules) {
    return new ConfigSection(title, introduction, keys, List.of(rules));
  }

  public String title() {
    return title;
  }

  public String introduction() {
    return introduction;
  }

  public List<ConfigKey<?>> keys() {
    return keys;
  }

  List<ConfigCheck> checks() {
    return checks;
  }
}

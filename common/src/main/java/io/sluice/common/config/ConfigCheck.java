package io.sluice.common.config;

import java.util.List;
import java.util.function.Consumer;

/**
 * A rule over several keys, for limits that must add up and settings that contradict each other.
 */
public final class ConfigCheck {
  private final List<ConfigKey<?>> keys;
  private final Rule rule;

  private ConfigCheck(List<ConfigKey<?>> keys, Rule rule) {
    this.keys = keys;
    this.rule = rule;
  }

  /**
   * @param keys all that the rule reads; where one of them has a problem of its own, the rule is
   *     not asked
   */
  public static ConfigCheck over(List<ConfigKey<?>> keys, Rule rule) {
    return new ConfigCheck(List.copyOf(keys), rule);
  }

  List<ConfigKey<?>> keys() {
    return keys;
  }

  void run(Settings settings, Consumer<String> problems) {
    rule.check(settings, problems);
  }

  /** The rule itself. */
  @FunctionalInterface
  public interface Rule {
    /**
     * @param problems takes one sentence per contradiction, naming the keys
     */
    void check(Settings settings, Consumer<String> problems);
  }
}

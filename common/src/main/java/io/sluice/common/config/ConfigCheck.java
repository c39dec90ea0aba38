package io.sluice.common.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

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

  /**
   * Ports that one process listens on differ, but for 0, which is any free one. Asked of those that
   * are right, whatever the others are.
   *
   * @param ports those that are always listened on
   * @param optional those that are only if they are given
   */
  public static ConfigCheck differentPorts(
      List<ConfigKey<Integer>> ports, List<ConfigKey<Optional<Integer>>> optional) {
    return over(
        List.of(),
        (settings, problems) -> {
          Map<Integer, ConfigKey<?>> taken = new HashMap<>();
          Stream.concat(ports.stream(), optional.stream())
              .forEach(
                  key -> port(settings, key).ifPresent(port -> claim(key, port, taken, problems)));
        });
  }

  /**
   * The name or number of an address to listen on means something to this machine. Asks its
   * resolver, so it is for those who are about to listen.
   */
  public static ConfigCheck resolvable(ConfigKey<String> address) {
    return over(
        List.of(address),
        (settings, problems) -> {
          try {
            InetAddress.getByName(settings.get(address));
          } catch (UnknownHostException e) {
            problems.accept(address + " = " + settings.get(address) + ": no such host is known");
          }
        });
  }

  private static Optional<Integer> port(Settings settings, ConfigKey<?> key) {
    return settings
        .ifRight(key)
        .flatMap(value -> value instanceof Optional ? (Optional<?>) value : Optional.of(value))
        .map(Integer.class::cast);
  }

  private static void claim(
      ConfigKey<?> key, int port, Map<Integer, ConfigKey<?>> taken, Consumer<String> problems) {
    ConfigKey<?> other = port == 0 ? null : taken.put(port, key);
    if (other != null) {
      problems.accept(other + " and " + key + " are both " + port);
    }
  }

  /** The same check, where it matters at all. */
  public ConfigCheck onlyIf(Predicate<Settings> matters) {
    return over(
        keys,
        (settings, problems) -> {
          if (matters.test(settings)) {
            rule.check(settings, problems);
          }
        });
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

package io.sluice.common.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads sections from files and maps; later sources override earlier ones. Nothing is thrown before
 * everything has been looked at, so that a user mends a file once.
 */
public final class ConfigReader {
  private final Map<String, ConfigKey<?>> keys = new LinkedHashMap<>();
  private final Map<String, ConfigKey<?>> tolerated = new HashMap<>();
  private final List<ConfigCheck> checks = new ArrayList<>();
  private final List<ConfigCheck> checksIfWrong = new ArrayList<>();
  private final Map<String, String> texts = new TreeMap<>();
  private final Map<String, String> origins = new HashMap<>();
  private final List<String> unread = new ArrayList<>();
  private final List<Supplier<String>> repeated = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * @throws IllegalArgumentException if two sections claim one name: a bug
   */
  public ConfigReader(List<ConfigSection> sections) {
    for (ConfigSection section : sections) {
      for (ConfigKey<?> key : section.keys()) {
        if (keys.put(key.name(), key) != null) {
          throw new IllegalArgumentException(key + " is declared twice");
        }
      }
      checks.addAll(section.checks());
    }
  }

  /** Accepts the names of a section that another process reads from the same file. */
  public ConfigReader tolerate(ConfigSection section) {
    section.keys().forEach(key -> tolerated.put(key.name(), key));
    return this;
  }

  /** Adds a check that needs to know more than settings. */
  public ConfigReader check(ConfigCheck check) {
    checks.add(check);
    return this;
  }

  /**
   * Adds a check that takes time, such as one that asks others over the network: made only if
   * something else is wrong, so that all problems are told at once. Where nothing else is, whoever
   * needs those others finds out, and may wait for them.
   */
  public ConfigReader checkIfWrong(ConfigCheck check) {
    checksIfWrong.add(check);
    return this;
  }

  /**
   * Adds a properties file (UTF-8). That it cannot be read is a problem like others. Nothing that
   * it might have said is held against anybody then: keys that are missing, and rules about keys
   * that no other source gives.
   */
  public ConfigReader file(Path path) {
    List<Assignment> assignments;
    try {
      assignments = PropertiesFile.read(path).assignments();
    } catch (SluiceException e) {
      unread.add(e.detail());
      return this;
    }
    return assignments(path.toString(), assignments);
  }

  /**
   * Adds values of a source that may name a key more than once. That is a problem, since one of
   * them is not meant; the last counts for what else there is to say.
   *
   * @param origin as of {@link #values}
   */
  public ConfigReader assignments(String origin, List<Assignment> assignments) {
    Map<String, List<String>> given = new TreeMap<>();
    Map<String, String> last = new HashMap<>();
    for (Assignment one : assignments) {
      given.computeIfAbsent(one.key(), name -> new ArrayList<>()).add(one.value().trim());
      last.put(one.key(), one.value());
    }
    given.forEach(
        (name, all) -> {
          if (all.size() > 1) {
            repeated.add(() -> repeated(name, origin, all));
          }
        });
    return values(origin, last);
  }

  /**
   * Adds values.
   *
   * @param origin for messages, such as "command line"
   */
  public ConfigReader values(String origin, Map<String, String> values) {
    values.forEach(
        (name, value) -> {
          texts.put(name, value.trim());
          origins.put(name, origin);
        });
    return this;
  }

  /**
   * Parses and checks everything.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem, one per line
   * @throws IllegalArgumentException if a check is of keys that are not read here: a bug
   */
  public Settings read() {
    problems.addAll(unread);
    rejectUnknownNames();
    repeated.forEach(problem -> problems.add(problem.get()));
    Map<ConfigKey<?>, Object> parsed = new HashMap<>();
    Map<String, String> given = new HashMap<>();
    for (ConfigKey<?> key : keys.values()) {
      Object value = value(key);
      if (value != null) {
        parsed.put(key, value);
      }
      String origin = origins.get(key.name());
      if (origin != null) {
        given.put(key.name(), origin);
      }
    }
    Settings settings = new Settings(keys.values(), parsed, given);
    run(checks, settings, parsed.keySet());
    if (!problems.isEmpty()) {
      run(checksIfWrong, settings, parsed.keySet());
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          (problems.size() == 1 ? "1 problem" : problems.size() + " problems")
              + "\n  - "
              + String.join("\n  - ", problems));
    }
    return settings;
  }

  private void run(List<ConfigCheck> those, Settings settings, Set<ConfigKey<?>> right) {
    for (ConfigCheck check : those) {
      if (!keys.values().containsAll(check.keys())) {
        throw new IllegalArgumentException("a check of " + check.keys() + ", not all of them read");
      }
      if (right.containsAll(check.keys())) {
        check.run(settings, problems::add);
      }
    }
  }

  private void rejectUnknownNames() {
    for (String name : texts.keySet()) {
      if (!keys.containsKey(name) && !tolerated.containsKey(name)) {
        Set<String> known = new HashSet<>(keys.keySet());
        known.addAll(tolerated.keySet());
        problems.add(
            "unknown key "
                + name
                + from(name)
                + Spelling.nearest(name, known).map(n -> ": did you mean " + n + "?").orElse(""));
      }
    }
  }

  /** Values are told if the key is known, by now, not to be a secret. */
  private String repeated(String name, String origin, List<String> all) {
    ConfigKey<?> known = keys.containsKey(name) ? keys.get(name) : tolerated.get(name);
    return name
        + " is given more than once ("
        + origin
        + ")"
        + (known == null || known.isSecret() ? "" : ": " + String.join(" and ", all));
  }

  private @Nullable Object value(ConfigKey<?> key) {
    String text = texts.get(key.name());
    if (text == null) {
      if (!unread.isEmpty()) {
        return null;
      }
      if (key.isRequired()) {
        problems.add(key + " is required: " + key.doc());
      }
      return key.defaultValue();
    }
    if (text.isEmpty()) {
      String what = key.isRequired() ? "it is required" : "leave the line out for the default";
      problems.add(key + from(key.name()) + " is empty: " + what);
      return null;
    }
    try {
      return key.parse(text);
    } catch (WrongElementsException e) {
      e.problems().forEach(why -> wrong(key, text, why));
      return null;
    } catch (IllegalArgumentException e) {
      wrong(key, text, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private void wrong(ConfigKey<?> key, String text, String why) {
    String shown = key.isSecret() ? "" : " = " + text;
    problems.add(
        key + shown + from(key.name()) + ": " + (key.isSecret() ? "not a valid value" : why));
  }

  private String from(String name) {
    return " (" + origins.get(name) + ")";
  }
}

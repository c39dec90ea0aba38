package io.sluice.common.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Values of known keys, read and checked. Composition roots turn it into the small records that
 * components take.
 */
public final class Settings {
  private static final String REDACTED = "(redacted)";

  private final Set<ConfigKey<?>> keys;
  private final Map<ConfigKey<?>, Object> values;
  private final Map<String, String> origins;

  /**
   * @param keys all that were read
   * @param values of those that are right
   * @param origins of what was given, by name
   */
  Settings(
      Collection<ConfigKey<?>> keys,
      Map<ConfigKey<?>, Object> values,
      Map<String, String> origins) {
    this.keys = Set.copyOf(keys);
    this.values = Map.copyOf(values);
    this.origins = Map.copyOf(origins);
  }

  /**
   * The value given, or the default.
   *
   * @throws IllegalArgumentException if the key was not among the sections read: a bug
   */
  @SuppressWarnings(
      "unchecked") // Only ConfigReader fills the map, with what the key itself parsed.
  public <T> T get(ConfigKey<T> key) {
    Object value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException(key + " was not among the keys read");
    }
    return (T) value;
  }

  /** The same, for checks of other keys: empty if there is none, or it has a problem. */
  @SuppressWarnings("unchecked") // As above.
  public <T> Optional<T> ifRight(ConfigKey<T> key) {
    return Optional.ofNullable((T) values.get(key));
  }

  /**
   * What these settings would be if only some keys were given: for checks of a whole that depends
   * on those alone, since the others may have problems.
   *
   * @param given keys without problems
   */
  public Settings withOnly(Collection<ConfigKey<?>> given) {
    Map<ConfigKey<?>, Object> kept = new HashMap<>();
    Map<String, String> from = new HashMap<>();
    for (ConfigKey<?> key : keys) {
      Object standard = key.defaultValue();
      if (given.contains(key)) {
        kept.put(key, get(key));
        if (isGiven(key)) {
          from.put(key.name(), origin(key));
        }
      } else if (standard != null) {
        kept.put(key, standard);
      }
    }
    return new Settings(keys, kept, from);
  }

  /** Whether the user gave a value, even one equal to the default. */
  public boolean isGiven(ConfigKey<?> key) {
    return origins.containsKey(key.name());
  }

  /** One line per key, sorted by name: value, and where it came from. Secrets are redacted. */
  public String describe() {
    return entries().stream()
        .map(entry -> entry.name() + " = " + entry.value() + "  # " + entry.origin())
        .collect(Collectors.joining("\n"));
  }

  /** Every key, sorted by name. Secrets are redacted. */
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (ConfigKey<?> key : values.keySet()) {
      entries.add(new Entry(key.name(), shown(key), origin(key)));
    }
    entries.sort(Comparator.comparing(Entry::name));
    return entries;
  }

  /** One setting as people see it. Immutable. */
  public static final class Entry {
    private final String name;
    private final String value;
    private final String origin;

    private Entry(String name, String value, String origin) {
      this.name = name;
      this.value = value;
      this.origin = origin;
    }

    public String name() {
      return name;
    }

    /** As a user would write it; empty if there is none. */
    public String value() {
      return value;
    }

    /** Such as a file, "command line" or "default". */
    public String origin() {
      return origin;
    }
  }

  private <T> String shown(ConfigKey<T> key) {
    String text = key.format(get(key));
    return key.isSecret() && !text.isEmpty() ? REDACTED : text;
  }

  private String origin(ConfigKey<?> key) {
    return origins.getOrDefault(key.name(), "default");
  }
}

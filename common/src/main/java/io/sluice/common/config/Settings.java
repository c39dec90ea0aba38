package io.sluice.common.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Values of known keys, read and checked. Composition roots turn it into the small records that
 * components take.
 */
public final class Settings {
  private static final String REDACTED = "(redacted)";

  private final Map<ConfigKey<?>, Object> values;
  private final Map<String, String> origins;

  Settings(Map<ConfigKey<?>, Object> values, Map<String, String> origins) {
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

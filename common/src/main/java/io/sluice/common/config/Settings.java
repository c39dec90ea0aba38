package io.sluice.common.config;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
    TreeMap<String, String> lines = new TreeMap<>();
    Set<ConfigKey<?>> keys = values.keySet();
    for (ConfigKey<?> key : keys) {
      lines.put(key.name(), key.name() + " = " + shown(key) + "  # " + origin(key));
    }
    return String.join("\n", lines.values());
  }

  private <T> String shown(ConfigKey<T> key) {
    String text = key.format(get(key));
    return key.isSecret() && !text.isEmpty() ? REDACTED : text;
  }

  private String origin(ConfigKey<?> key) {
    return origins.getOrDefault(key.name(), "default");
  }
}

package io.sluice.common.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One configuration entry: name, type, default, bounds and documentation in one place. Immutable.
 *
 * <pre>{@code
 * static final ConfigKey<Duration> SUSPECT_AFTER =
 *     ConfigKey.duration("coordinator.server.suspect-after")
 *         .doc("Silence after which no new data is placed on a server.")
 *         .between("100ms", "10m")
 *         .defaultsTo("5s");
 * }</pre>
 *
 * <p>Bounds and defaults are written as a user would write them; one that cannot be read is a bug
 * and fails the class that declares it.
 */
public final class ConfigKey<T> {
  private final Builder<?> traits;
  private final ConfigType<T> type;
  private final @Nullable T defaultValue;
  private final boolean required;

  private ConfigKey(
      Builder<?> traits, ConfigType<T> type, @Nullable T defaultValue, boolean required) {
    this.traits = traits;
    this.type = type;
    this.defaultValue = defaultValue;
    this.required = required;
  }

  /** Bytes with a unit: {@code 512m}. */
  public static Builder<DataSize> size(String name) {
    return new Builder<>(name, ConfigType.SIZE);
  }

  /** Time with a unit: {@code 30s}. */
  public static Builder<Duration> duration(String name) {
    return new Builder<>(name, ConfigType.DURATION);
  }

  public static Builder<Integer> integer(String name) {
    return new Builder<>(name, ConfigType.INTEGER);
  }

  /** A finite decimal number. */
  public static Builder<Double> number(String name) {
    return new Builder<>(name, ConfigType.FRACTION);
  }

  public static Builder<Boolean> bool(String name) {
    return new Builder<>(name, ConfigType.BOOLEAN);
  }

  public static Builder<String> text(String name) {
    return new Builder<>(name, ConfigType.STRING);
  }

  public static Builder<Path> path(String name) {
    return new Builder<>(name, ConfigType.PATH);
  }

  public static Builder<List<Path>> paths(String name) {
    return new Builder<>(name, ConfigType.listOf(ConfigType.PATH));
  }

  /**
   * A list of values with a notation of their own, written as their {@code toString} says.
   *
   * @param label what an element looks like, for people
   * @param parser throws IllegalArgumentException whose message completes "NAME = VALUE: ..."
   */
  public static <E> Builder<List<E>> listOf(String name, String label, Function<String, E> parser) {
    return new Builder<>(name, ConfigType.listOf(ConfigType.of(label, parser)));
  }

  /**
   * One value with a notation of its own, written as its {@code toString} says.
   *
   * @param label what it looks like, for people
   * @param parser as of {@link #listOf}
   */
  public static <E> Builder<E> of(String name, String label, Function<String, E> parser) {
    return new Builder<>(name, ConfigType.of(label, parser));
  }

  /** A host's name or address ({@link HostPort#isHost}); nobody looks it up here. */
  public static Builder<String> host(String name) {
    return of(
        name,
        "host",
        text -> {
          if (!HostPort.isHost(text)) {
            throw new IllegalArgumentException("no host name or address looks like that");
          }
          return text;
        });
  }

  /** The members of something, none named twice: {@code host:port,host:port}. */
  public static Builder<List<HostPort>> hostPorts(String name) {
    return new Builder<>(name, ConfigType.distinctListOf(ConfigType.HOST_PORT));
  }

  /** A constant, written in lower case with dashes. */
  public static <E extends Enum<E>> Builder<E> oneOf(String name, Class<E> type) {
    return new Builder<>(name, ConfigType.ofEnum(type));
  }

  public String name() {
    return traits.name;
  }

  public String doc() {
    return traits.doc;
  }

  /** Whether the value must never be printed. */
  public boolean isSecret() {
    return traits.secret;
  }

  /** Whether there is no default and the user has to give a value. */
  public boolean isRequired() {
    return required;
  }

  /** The default as a user would write it; empty if there is none. */
  public String defaultText() {
    return defaultValue == null ? "" : type.format(defaultValue);
  }

  @Nullable T defaultValue() {
    return defaultValue;
  }

  /** What a value looks like, such as "size" or "true | false". */
  public String typeText() {
    return type.label();
  }

  /** Bounds for people: "1 to 64", "at least 1", or empty. */
  public String boundsText() {
    return traits.boundsText();
  }

  String format(T value) {
    return type.format(value);
  }

  /**
   * Reads and checks a value.
   *
   * @throws IllegalArgumentException whose message completes "NAME = VALUE: ..."
   */
  T parse(String text) {
    traits.checkBounds(text);
    return type.parse(text);
  }

  @Override
  public String toString() {
    return name();
  }

  /**
   * Collects what a key is; ends with {@link #defaultsTo}, {@link #optional} or {@link #required}.
   */
  public static final class Builder<T> {
    private final String name;
    private final ConfigType<T> type;
    private String doc = "";
    private boolean secret;
    private @Nullable T min;
    private @Nullable T max;

    private Builder(String name, ConfigType<T> type) {
      this.name = name;
      this.type = type;
    }

    /** What it does and when to touch it: one or two sentences for the reference page. */
    public Builder<T> doc(String text) {
      this.doc = text;
      return this;
    }

    /** Never printed: not in problems, not in the effective configuration. */
    public Builder<T> secret() {
      this.secret = true;
      return this;
    }

    /** The smallest value allowed. */
    public Builder<T> atLeast(String bound) {
      this.min = type.parse(bound);
      return this;
    }

    /** The largest value allowed. */
    public Builder<T> atMost(String bound) {
      this.max = type.parse(bound);
      return this;
    }

    public Builder<T> between(String smallest, String largest) {
      return atLeast(smallest).atMost(largest);
    }

    public ConfigKey<T> defaultsTo(String value) {
      ConfigKey<T> checker = new ConfigKey<>(this, type, null, true);
      return new ConfigKey<>(this, type, checker.parse(value), false);
    }

    /** A key whose absence means something of its own, which {@link #doc} should say. */
    public ConfigKey<Optional<T>> optional() {
      return new ConfigKey<>(this, type.optional(), Optional.empty(), false);
    }

    public ConfigKey<T> required() {
      return new ConfigKey<>(this, type, null, true);
    }

    private void checkBounds(String text) {
      T value = type.parse(text);
      if ((min != null && type.compare(value, min) < 0)
          || (max != null && type.compare(value, max) > 0)) {
        throw new IllegalArgumentException("out of bounds, allowed is " + boundsText());
      }
    }

    private String boundsText() {
      if (min != null && max != null) {
        return type.format(min) + " to " + type.format(max);
      }
      if (min != null) {
        return "at least " + type.format(min);
      }
      return max == null ? "" : "at most " + type.format(max);
    }
  }
}

package io.sluice.common.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How values of one kind are read, compared and written. */
final class ConfigType<T> {
  static final ConfigType<DataSize> SIZE =
      new ConfigType<>("size", DataSize::parse, DataSize::toString, DataSize::compareTo);
  static final ConfigType<Duration> DURATION =
      new ConfigType<>("duration", DurationText::parse, DurationText::format, Duration::compareTo);
  static final ConfigType<Integer> INTEGER =
      new ConfigType<>("integer", ConfigType::parseInteger, String::valueOf, Integer::compareTo);
  static final ConfigType<Boolean> BOOLEAN =
      new ConfigType<>("boolean", ConfigType::parseBoolean, String::valueOf, null);
  static final ConfigType<Double> FRACTION =
      new ConfigType<>("number", ConfigType::parseFraction, String::valueOf, Double::compareTo);
  static final ConfigType<String> STRING =
      new ConfigType<>("text", Function.identity(), Function.identity(), null);
  static final ConfigType<Path> PATH =
      new ConfigType<>("path", ConfigType::parsePath, Path::toString, null);
  static final ConfigType<HostPort> HOST_PORT =
      new ConfigType<>("host:port", HostPort::parse, HostPort::toString, null);

  private final String label;
  private final Function<String, T> parser;
  private final Function<T, String> formatter;
  private final @Nullable Comparator<T> order;

  private ConfigType(
      String label,
      Function<String, T> parser,
      Function<T, String> formatter,
      @Nullable Comparator<T> order) {
    this.label = label;
    this.parser = parser;
    this.formatter = formatter;
    this.order = order;
  }

  /** Values of a notation of their own, which have no order. */
  static <E> ConfigType<E> of(String label, Function<String, E> parser) {
    return new ConfigType<>(label, parser, String::valueOf, null);
  }

  /** Constants in lower case, with dashes for underscores. */
  static <E extends Enum<E>> ConfigType<E> ofEnum(Class<E> type) {
    List<E> constants = Arrays.asList(type.getEnumConstants());
    String choices =
        constants.stream().map(ConfigType::enumText).collect(Collectors.joining(" \\| "));
    Function<String, E> parser =
        text ->
            constants.stream()
                .filter(constant -> enumText(constant).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                    () ->
                        new IllegalArgumentException("not one of " + choices.replace(" \\|", ",")));
    return new ConfigType<>(choices, parser, ConfigType::enumText, null);
  }

  private static String enumText(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Elements separated by commas, spaces around them dropped, none empty. What is wrong with them
   * is told of each: see {@link WrongElementsException}.
   */
  static <E> ConfigType<List<E>> listOf(ConfigType<E> element) {
    return listOf(element, false);
  }

  /** The same, but that an element is given twice is wrong, too, however it is written. */
  static <E> ConfigType<List<E>> distinctListOf(ConfigType<E> element) {
    return listOf(element, true);
  }

  private static <E> ConfigType<List<E>> listOf(ConfigType<E> element, boolean distinct) {
    return new ConfigType<>(
        "list of " + element.label,
        text -> parseList(text, element, distinct),
        values -> values.stream().map(element.formatter).collect(Collectors.joining(",")),
        null);
  }

  private static <E> List<E> parseList(String text, ConfigType<E> element, boolean distinct) {
    List<E> values = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    List<String> wrong = new ArrayList<>();
    String[] parts = text.split(",", -1);
    for (int i = 0; i < parts.length; i++) {
      String part = parts[i].trim();
      if (part.isEmpty()) {
        wrong.add("element " + (i + 1) + " of the list is empty");
        continue;
      }
      try {
        E value = element.parse(part);
        values.add(value);
        if (!seen.add(element.format(value).toLowerCase(Locale.ROOT)) && distinct) {
          wrong.add("element " + (i + 1) + ", \"" + part + "\", is in the list already");
        }
      } catch (IllegalArgumentException e) {
        wrong.add(
            parts.length == 1
                ? String.valueOf(e.getMessage())
                : "element " + (i + 1) + ", \"" + part + "\": " + e.getMessage());
      }
    }
    if (!wrong.isEmpty()) {
      throw new WrongElementsException(wrong);
    }
    return List.copyOf(values);
  }

  ConfigType<Optional<T>> optional() {
    return new ConfigType<>(
        label,
        text -> Optional.of(parser.apply(text)),
        value -> value.map(formatter).orElse(""),
        null);
  }

  String label() {
    return label;
  }

  /**
   * @throws IllegalArgumentException whose message completes "NAME = VALUE: ..."
   */
  T parse(String text) {
    return parser.apply(text);
  }

  String format(T value) {
    return formatter.apply(value);
  }

  int compare(T left, T right) {
    if (order == null) {
      throw new IllegalStateException("values of type " + label + " have no order");
    }
    return order.compare(left, right);
  }

  private static Integer parseInteger(String text) {
    try {
      return Integer.valueOf(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a whole number", e);
    }
  }

  private static Boolean parseBoolean(String text) {
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw new IllegalArgumentException("neither true nor false");
  }

  private static Double parseFraction(String text) {
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number", e);
    }
    throw new IllegalArgumentException("not a finite number");
  }

  private static Path parsePath(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("not a path: " + e.getReason(), e);
    }
  }
}

package io.sluice.cli.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A line of {@code key=value} words, values percent-encoded: what a driver and its owner say to
 * each other over the driver's standard streams. Immutable once read; built by one thread.
 */
public final class Fields {
  private final Map<String, String> values = new LinkedHashMap<>();

  /** Reads the words of a line; words without {@code =} are refused. */
  public static Fields parse(String line) {
    Fields fields = new Fields();
    for (String word : line.trim().split(" +", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        fields.values.put(
            word.substring(0, equals), URLDecoder.decode(word.substring(equals + 1), UTF_8));
      } else if (!word.isEmpty()) {
        throw new IllegalArgumentException("not key=value: " + word);
      }
    }
    return fields;
  }

  public Fields put(String key, Object value) {
    values.put(key, value.toString());
    return this;
  }

  public String text(String key) {
    String value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException("no field " + key + " in: " + this);
    }
    return value;
  }

  public long number(String key) {
    return Long.parseLong(text(key));
  }

  public boolean flag(String key) {
    return Boolean.parseBoolean(text(key));
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder();
    values.forEach(
        (key, value) -> {
          line.append(line.length() == 0 ? "" : " ");
          line.append(key).append('=').append(URLEncoder.encode(value, UTF_8));
        });
    return line.toString();
  }
}

package io.sluice.cli.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** One flat JSON object on one line. Built by one thread. */
public final class JsonObject {
  private final Map<String, String> members = new LinkedHashMap<>();

  public JsonObject put(String name, String value) {
    members.put(name, quoted(value));
    return this;
  }

  public JsonObject put(String name, long value) {
    members.put(name, Long.toString(value));
    return this;
  }

  public JsonObject put(String name, boolean value) {
    members.put(name, Boolean.toString(value));
    return this;
  }

  /** Four digits after the point; what is no number becomes null. */
  public JsonObject put(String name, double value) {
    members.put(name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "null");
    return this;
  }

  @Override
  public String toString() {
    return members.entrySet().stream()
        .map(member -> quoted(member.getKey()) + ": " + member.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}

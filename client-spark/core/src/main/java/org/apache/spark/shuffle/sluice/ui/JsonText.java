package org.apache.spark.shuffle.sluice.ui;

import java.util.Locale;

/** A JSON document that is put together, in the order of the calls. Used by one thread. */
final class JsonText {
  private final StringBuilder json = new StringBuilder(4096);
  private boolean first = true;

  /** Begins an object, as an element. */
  JsonText object() {
    return open("{");
  }

  /** Begins an object, as a field. */
  JsonText object(String name) {
    return name(name).open("{");
  }

  JsonText endObject() {
    return close("}");
  }

  /** Begins an array, as a field. */
  JsonText array(String name) {
    return name(name).open("[");
  }

  JsonText endArray() {
    return close("]");
  }

  JsonText field(String name, String value) {
    name(name).quoted(value);
    first = false;
    return this;
  }

  JsonText field(String name, long value) {
    return name(name).token(Long.toString(value));
  }

  JsonText field(String name, boolean value) {
    return name(name).token(Boolean.toString(value));
  }

  /** {@code null} if it is no number. */
  JsonText field(String name, double value) {
    return name(name).token(Double.isFinite(value) ? Double.toString(value) : "null");
  }

  JsonText element(long value) {
    comma();
    return token(Long.toString(value));
  }

  private JsonText name(String name) {
    comma();
    quoted(name);
    json.append(':');
    first = true; // No comma before the value.
    return this;
  }

  private JsonText open(String bracket) {
    comma();
    json.append(bracket);
    first = true;
    return this;
  }

  private JsonText close(String bracket) {
    json.append(bracket);
    first = false;
    return this;
  }

  private JsonText token(String token) {
    json.append(token);
    first = false;
    return this;
  }

  private void comma() {
    if (!first) {
      json.append(',');
    }
  }

  private void quoted(String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ' || c == '<' || c == '>' || c == '&') {
        // The latter so that nobody who shows it as a page has a page.
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }

  @Override
  public String toString() {
    return json.toString();
  }
}

package io.sluice.cli.service;

import io.sluice.cli.spark.Fields;

/**
 * The one line a service prints on standard output when it can be used; for people and for whoever
 * started it.
 *
 * @param address host:port for clients
 * @param http host:port of metrics and health
 */
public record Announcement(String address, String http) {
  private static final String PREFIX = "ready ";

  public static boolean isOne(String line) {
    return line.startsWith(PREFIX);
  }

  public static Announcement parse(String line) {
    Fields fields = Fields.parse(line.substring(PREFIX.length()));
    return new Announcement(fields.text("address"), fields.text("http"));
  }

  @Override
  public String toString() {
    return PREFIX + "address=" + address + " http=" + http;
  }
}

package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.IdText;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.Map;
import java.util.UUID;

/** Ids in paths. */
final class Ids {
  private Ids() {}

  /** One that a list goes on after, as it is printed. */
  static String key(String text) {
    return IdText.parse(text).toString();
  }

  static ServerId server(Map<String, String> names) {
    return new ServerId(uuid("server", names));
  }

  static ApplicationId application(Map<String, String> names) {
    return new ApplicationId(uuid("application", names));
  }

  static ShuffleKey shuffle(Map<String, String> names) {
    return new ShuffleKey(
        application(names), number("shuffle", names), number("generation", names));
  }

  private static UUID uuid(String what, Map<String, String> names) {
    String text = names.getOrDefault(what, "");
    try {
      return IdText.parse(text);
    } catch (IllegalArgumentException e) {
      throw RestException.of(
          400, ErrorCode.INVALID_ARGUMENT, "'" + text + "' is not the id of one " + what, e);
    }
  }

  private static int number(String what, Map<String, String> names) {
    String text = names.getOrDefault(what, "");
    try {
      int number = Integer.parseInt(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw RestException.of(
          400, ErrorCode.INVALID_ARGUMENT, what + " '" + text + "' is not a number", e);
    }
    throw RestException.of(400, ErrorCode.INVALID_ARGUMENT, what + " " + text + " is negative");
  }
}

package io.sluice.coordinator.admission;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Who is let in at all.
 *
 * @param allow users that may register applications; empty: all that are not denied
 * @param deny users that may not, allowed or not
 * @param loadMax share of the cluster's capacity, in (0, 1], beyond which no new application is let
 *     in; 1: none is kept out for that
 */
public record Gate(Set<String> allow, Set<String> deny, double loadMax) {
  public static final Gate OPEN = new Gate(Set.of(), Set.of(), 1);

  /** Users on one list. With names of 40 letters both are 160 KB; the store bounds the bytes. */
  public static final int USERS_MAX = 2_000;

  /**
   * @throws SluiceException INVALID_ARGUMENT on a list too long or a share out of bounds
   */
  public Gate {
    allow = Set.copyOf(allow);
    deny = Set.copyOf(deny);
    if (!(loadMax > 0 && loadMax <= 1)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "load_max " + loadMax + " is not above 0 and at most 1");
    }
    if (allow.size() > USERS_MAX || deny.size() > USERS_MAX) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "a list has more than " + USERS_MAX + " users");
    }
  }

  /** Why a user is kept out whatever the load; empty if he is not. */
  String refusal(String user) {
    if (deny.contains(user)) {
      return "is on the cluster's deny list";
    }
    return allow.isEmpty() || allow.contains(user) ? "" : "is not on the cluster's allow list";
  }

  Map<String, String> fields() {
    return Map.of("allow", join(allow), "deny", join(deny), "loadMax", Double.toString(loadMax));
  }

  /**
   * @throws IllegalArgumentException if a field cannot be read
   */
  static Gate of(Map<String, String> fields) {
    return new Gate(
        split(fields.getOrDefault("allow", "")),
        split(fields.getOrDefault("deny", "")),
        Double.parseDouble(fields.getOrDefault("loadMax", "1")));
  }

  private static String join(Set<String> users) {
    return new TreeSet<>(users)
        .stream()
            .map(user -> URLEncoder.encode(user, StandardCharsets.UTF_8))
            .collect(Collectors.joining(","));
  }

  private static Set<String> split(String text) {
    if (text.isEmpty()) {
      return Set.of();
    }
    List<String> users =
        Arrays.stream(text.split(","))
            .map(user -> URLDecoder.decode(user, StandardCharsets.UTF_8))
            .toList();
    return Set.copyOf(users);
  }
}

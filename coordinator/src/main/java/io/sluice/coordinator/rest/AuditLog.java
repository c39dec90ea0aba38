package io.sluice.coordinator.rest;

import io.sluice.common.time.Scheduler;
import io.sluice.http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line for each change that somebody asked for, granted or not, in a logger of its own. Written
 * where it is answered; a call that is passed on is noted by the coordinator that was asked and by
 * the leader, whose line names both ways. Of those that were refused because of who asked only so
 * many are written as {@link RefusedLines} says, and the rest is counted. Thread-safe if its
 * consumer is.
 */
public final class AuditLog {
  /** Of the logger, for operators who want these lines in a file of their own. */
  public static final String NAME = "io.sluice.audit";

  /** Of one value; a quota is 100 letters, a list of users may be 64 KiB. */
  private static final int LETTERS_MAX = 512;

  /** Results of calls that are refused because of who asked: of HTTP, and of gRPC. */
  private static final Set<String> REFUSALS =
      Set.of("401", "403", "UNAUTHENTICATED", "PERMISSION_DENIED");

  private final Consumer<String> lines;
  private final RefusedLines refused;

  /**
   * @param scheduler by which minutes go
   */
  AuditLog(Consumer<String> lines, Scheduler scheduler) {
    this.lines = lines;
    this.refused =
        new RefusedLines(
            scheduler,
            (from, count) ->
                lines.accept("from=" + quoted(from) + " refused=" + count + " more in a minute"));
  }

  /** To the logger. */
  public static AuditLog ofLogger(Scheduler scheduler) {
    Logger log = LoggerFactory.getLogger(NAME);
    return new AuditLog(log::info, scheduler);
  }

  /** Whether a method changes something, by what HTTP says of it. */
  static boolean changes(String method) {
    return !method.equals("GET") && !method.equals("HEAD");
  }

  /** What a caller has named, as one word. */
  static String uri(String path, String query) {
    return query.isEmpty() ? path : path + "?" + query;
  }

  /** Notes a call with the status of its answer, if it would change something. */
  void note(Caller caller, String method, String uri, byte[] body, int status) {
    if (changes(method)) {
      String details = new String(body, StandardCharsets.UTF_8);
      note(caller, method + " " + uri, details, Integer.toString(status));
    }
  }

  /** Notes a call once it is answered; one that fails is not, and is noted where it goes to. */
  CompletionStage<Answer> noted(Call call, CompletionStage<Answer> answer) {
    return answer.whenComplete(
        (given, failure) -> {
          if (given != null) {
            String uri = uri(call.path(), call.query());
            note(call.caller(), call.method(), uri, call.body(), given.status());
          }
        });
  }

  /**
   * Notes a change.
   *
   * @param what is done to what
   * @param details what else the caller said; may be empty, and is left out of lines about nobody,
   *     who could fill a disk with it
   * @param result a status of HTTP, or the name of one of gRPC
   */
  public void note(Caller caller, String what, String details, String result) {
    boolean stranger = caller.role() == Role.NOBODY || REFUSALS.contains(result);
    if (stranger && !refused.takes(caller.from())) {
      return;
    }
    lines.accept(
        "who="
            + quoted(caller.who())
            + " from="
            + quoted(caller.from())
            + " role="
            + caller.role()
            + " what="
            + quoted(what)
            + " details="
            + quoted(caller.role() == Role.NOBODY ? "" : details)
            + " result="
            + result);
  }

  /** Nothing that a caller says can begin another line or value. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < Math.min(text.length(), LETTERS_MAX); i++) {
      char letter = text.charAt(i);
      if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
      } else {
        quoted.append(letter);
      }
    }
    return quoted.append(text.length() > LETTERS_MAX ? "...\"" : "\"").toString();
  }
}

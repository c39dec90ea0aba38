package io.sluice.coordinator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Whatever is asked, it is answered and never blamed on us: every operation with names, parameters
 * and bodies that are right, nearly right, or nothing of the kind.
 */
class RestFuzzPropertyTest {
  /** Whether an operation, by method and path, has come to an end that is not a refusal. */
  private static final Map<String, Integer> DONE = new ConcurrentHashMap<>();

  private RestFixture rest = RestFixture.open().leading();

  /** One call. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Asked(String operation, String method, String uri, byte[] body) {
    @Override
    public String toString() {
      return method + " " + uri + " " + new String(body, StandardCharsets.UTF_8);
    }
  }

  @Property(tries = 2_000)
  void nothingThatIsAskedFailsHere(@ForAll("calls") Asked asked) {
    Answer answer =
        rest.call(asked.method(), asked.uri(), asked.body(), Map.of(), Optional.empty());

    assertThat(answer.status()).as(RestFixture.text(answer)).isBetween(200, 499);
    if (answer.status() >= 400) {
      assertThat(RestFixture.text(answer)).contains("\"code\":", "\"blame\":", "\"advice\":");
      return;
    }
    DONE.merge(asked.operation(), 1, Integer::sum);
    if (rest.get(RestFixture.APPLICATIONS + RestFixture.APPLICATION).status() != 200) {
      // It was ended, and whoever asks for it next is to find it.
      rest = RestFixture.open().leading();
    }
    rest.put("/api/v1/quotas/user:ada", "{\"bytes\":100}");
  }

  /** A fuzz that finds nothing there has tried nothing. */
  @AfterContainer
  static void everyOperationHasBeenDone() {
    RestFixture rest = RestFixture.open();
    assertThat(rest.api.operations())
        .allSatisfy(done -> assertThat(DONE).extractingByKey(done).as(done).isNotNull());
  }

  @Provide
  Arbitrary<Asked> calls() {
    return Combinators.combine(uris(), bodies(), Arbitraries.of("GET", "PUT", "DELETE", "POST"))
        .as(
            (route, body, other) ->
                new Asked(
                    route[0].isEmpty() ? other + " " + route[2] : route[0] + " " + route[2],
                    route[0].isEmpty() ? other : route[0],
                    route[1],
                    body));
  }

  private Arbitrary<String[]> uris() {
    Arbitrary<String[]> known =
        Arbitraries.of(rest.api.operations())
            .flatMap(
                operation -> {
                  String[] parts = operation.split(" ");
                  return Combinators.combine(
                          paths(parts[1]), queries(), Arbitraries.of(true, true, true, false))
                      .as(
                          (path, query, own) ->
                              new String[] {own ? parts[0] : "", path + "?" + query, parts[1]});
                });
    Arbitrary<String[]> unknown =
        Arbitraries.strings()
            .withCharRange('!', '~')
            .excludeChars('?')
            .ofMaxLength(40)
            .map(path -> new String[] {"", "/api/" + path, ""});
    return Arbitraries.frequencyOf(Tuple.of(9, known), Tuple.of(1, unknown));
  }

  /** A template with its names filled in. */
  private static Arbitrary<String> paths(String template) {
    Arbitrary<String> paths = Arbitraries.just(template);
    Matcher name = Pattern.compile("\\{(\\w+)}").matcher(template);
    while (name.find()) {
      String found = name.group();
      paths =
          Combinators.combine(paths, names(name.group(1)))
              .as((path, given) -> path.replace(found, given));
    }
    return paths;
  }

  /** Mostly what there is, else something odd. */
  private static Arbitrary<String> names(String name) {
    Arbitrary<String> there =
        switch (name) {
          case "server" -> Arbitraries.of(1L, 2L, 3L).map(id -> Servers.id(id).toString());
          case "application" -> Arbitraries.just(RestFixture.APPLICATION.toString());
          case "shuffle" -> Arbitraries.just("3");
          case "generation" -> Arbitraries.just("0");
          case "subject" -> Arbitraries.of("user:ada", "user:*", "application:*");
          default -> throw new IllegalArgumentException(name);
        };
    Arbitrary<String> odd =
        Arbitraries.of(
            Servers.id(9).toString(),
            "application:x",
            "user:",
            "-1",
            "2147483648",
            "1-1-1-1-1",
            "%",
            "%00",
            "%2F",
            "%F0%9F%98%80",
            "+",
            "");
    Arbitrary<String> any =
        Arbitraries.strings().withCharRange('!', '~').excludeChars('?').ofMaxLength(20);
    return Arbitraries.frequencyOf(Tuple.of(8, there), Tuple.of(1, odd), Tuple.of(1, any));
  }

  private static Arbitrary<String> queries() {
    Arbitrary<String> name = Arbitraries.of("limit", "after", "first", "user", "x", "", "%");
    Arbitrary<String> value =
        Arbitraries.of(
            "0", "1", "-1", "1000", "1001", "99999999999999999999", "a", "", "%", "%zz", "=");
    Arbitrary<String> any =
        Combinators.combine(name, value)
            .as((n, v) -> n + "=" + v)
            .list()
            .ofMaxSize(3)
            .map(pairs -> pairs.stream().collect(Collectors.joining("&")));
    return Arbitraries.frequencyOf(Tuple.of(2, Arbitraries.just("")), Tuple.of(1, any));
  }

  private static Arbitrary<byte[]> bodies() {
    Arbitrary<String> field =
        Arbitraries.of(
            "bytes", "partitions", "applications", "allow", "deny", "load_max", "x", "\\u0000");
    Arbitrary<String> value =
        Arbitraries.of(
            "1",
            "-1",
            "0.5",
            "1e400",
            "99999999999999999999",
            "null",
            "true",
            "\"a\"",
            "[]",
            "[\"a\"]",
            "[null]",
            "[1]",
            "{}",
            "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
            "");
    Arbitrary<String> objects =
        Combinators.combine(field, value)
            .as((f, v) -> "\"" + f + "\":" + v)
            .list()
            .ofMaxSize(3)
            .map(fields -> "{" + String.join(",", fields) + "}");
    return Arbitraries.oneOf(
        Arbitraries.of("{}", "{\"bytes\":5}", "{\"allow\":[],\"deny\":[\"a\"],\"load_max\":0.5}")
            .map(text -> text.getBytes(StandardCharsets.UTF_8)),
        objects.map(text -> text.getBytes(StandardCharsets.UTF_8)),
        Arbitraries.bytes().array(byte[].class).ofMaxSize(30));
  }
}

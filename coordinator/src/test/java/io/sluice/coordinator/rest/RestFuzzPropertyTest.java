package io.sluice.coordinator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Whatever is asked, it is answered and never blamed on us: every operation with names, parameters
 * and bodies that are right, nearly right, or nothing of the kind.
 */
class RestFuzzPropertyTest {
  private final RestFixture rest = RestFixture.open().leading();

  /** One call. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Asked(String method, String uri, byte[] body) {
    @Override
    public String toString() {
      return method + " " + uri + " " + new String(body, StandardCharsets.UTF_8);
    }
  }

  @Property(tries = 3_000)
  void nothingThatIsAskedFailsHere(@ForAll("calls") Asked asked) {
    Answer answer =
        rest.call(asked.method(), asked.uri(), asked.body(), Map.of(), Optional.empty());

    assertThat(answer.status()).as(RestFixture.text(answer)).isBetween(200, 499);
    if (answer.status() >= 400) {
      assertThat(RestFixture.text(answer)).contains("\"code\":", "\"blame\":", "\"advice\":");
    }
  }

  @Provide
  Arbitrary<Asked> calls() {
    return Combinators.combine(uris(), bodies(), Arbitraries.of("GET", "PUT", "DELETE", "POST"))
        .as(
            (route, body, other) ->
                new Asked(route[0].isEmpty() ? other : route[0], route[1], body));
  }

  private Arbitrary<String[]> uris() {
    List<String> operations = rest.api.operations();
    Arbitrary<String[]> known =
        Combinators.combine(
                Arbitraries.of(operations),
                names(),
                names(),
                names(),
                queries(),
                Arbitraries.of(true, true, true, false))
            .as(
                (operation, first, second, third, query, own) -> {
                  String[] parts = operation.split(" ");
                  String path =
                      parts[1]
                          .replaceFirst("\\{\\w+}", Matcher.quoteReplacement(first))
                          .replaceFirst("\\{\\w+}", Matcher.quoteReplacement(second))
                          .replaceFirst("\\{\\w+}", Matcher.quoteReplacement(third));
                  return new String[] {own ? parts[0] : "", path + "?" + query};
                });
    Arbitrary<String[]> unknown =
        Arbitraries.strings()
            .withCharRange('!', '~')
            .excludeChars('?')
            .ofMaxLength(40)
            .map(path -> new String[] {"", "/api/" + path});
    return Arbitraries.frequencyOf(Tuple.of(9, known), Tuple.of(1, unknown));
  }

  private static Arbitrary<String> names() {
    return Arbitraries.frequencyOf(
        Tuple.of(
            4,
            Arbitraries.of(
                Servers.id(1).toString(),
                Servers.id(9).toString(),
                RestFixture.APPLICATION.toString(),
                "user:ada",
                "user:*",
                "application:*",
                "application:x",
                "user:",
                "3",
                "0",
                "-1",
                "2147483648",
                "1-1-1-1-1",
                "%",
                "%00",
                "%2F",
                "%F0%9F%98%80",
                "+",
                "")),
        Tuple.of(
            1, Arbitraries.strings().withCharRange('!', '~').excludeChars('?').ofMaxLength(20)));
  }

  private static Arbitrary<String> queries() {
    Arbitrary<String> name = Arbitraries.of("limit", "after", "first", "user", "x", "", "%");
    Arbitrary<String> value =
        Arbitraries.of(
            "0", "1", "-1", "1000", "1001", "99999999999999999999", "a", "", "%", "%zz", "=");
    return Combinators.combine(name, value)
        .as((n, v) -> n + "=" + v)
        .list()
        .ofMaxSize(3)
        .map(pairs -> pairs.stream().collect(Collectors.joining("&")));
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
        objects.map(text -> text.getBytes(StandardCharsets.UTF_8)),
        Arbitraries.bytes().array(byte[].class).ofMaxSize(30));
  }
}

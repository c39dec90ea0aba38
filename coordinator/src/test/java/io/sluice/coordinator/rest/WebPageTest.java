package io.sluice.coordinator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.http.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be said of the page without a browser. */
class WebPageTest {
  private final RestFixture rest = RestFixture.open().leading();
  private final String page = RestFixture.text(rest.get("/"));
  private final String script = RestFixture.text(rest.get("/sluice.js"));
  private final String style = RestFixture.text(rest.get("/sluice.css"));

  @ParameterizedTest
  @ValueSource(strings = {"/", "/sluice.js", "/sluice.css", "/sluice.svg"})
  void isServedUnderAPolicyThatAllowsNothingFromElsewhere(String path) {
    Answer answer = rest.get(path);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers().get("content-security-policy"))
        .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "*", "http");
    assertThat(answer.headers()).containsEntry("x-content-type-options", "nosniff");
    assertThat(rest.call("PUT", path, "", Map.of()).status()).isEqualTo(405);
  }

  @Test
  void namesNothingOutsideThisCoordinator() {
    String namespace = "http://www.w3.org/2000/svg";
    assertThat((page + script + style).replace(namespace, ""))
        .doesNotContain("http://", "https://", "url(", "@import", "//cdn");
    assertThat(find("(?:src|href)=\"([^\"]*)\"", page))
        .allSatisfy(target -> assertThat(target).matches("#.*|/[a-z0-9./]*"));
    assertThat(find("(?:src|href)=\"(/[^\"]*)\"", page))
        .allSatisfy(target -> assertThat(rest.get(target).status()).isEqualTo(200));
  }

  @Test
  void hasNothingInlineThatThePolicyWouldStop() {
    assertThat(page).doesNotContainPattern("<script>|<style|\\son[a-z]+=|\\sstyle=|javascript:");
  }

  @Test
  void neverMakesMarkupOfWhatItIsTold() {
    assertThat(script)
        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
  }

  @Test
  void asksOnlyWhatIsServed() {
    List<String> operations = new ArrayList<>(rest.api.operations());
    RestSite.OWN.forEach(path -> operations.add("GET " + path));
    Matcher call =
        Pattern.compile("(?:call|change)\\('(GET|PUT|DELETE)', ('/[^,)]*|path[^,)]*)")
            .matcher(script);
    int calls = 0;
    while (call.find()) {
      String path =
          call.group(2)
              .replaceFirst("^'", "")
              .replaceFirst("^path \\+ '", "/servers/X")
              .replaceAll("' \\+ [a-z.]+ \\+ '", "X")
              .replaceAll("' \\+ .*", "X")
              .replaceAll("['?].*$", "");
      String full = call.group(1) + " /api/v1" + (path.startsWith("/") ? path : "/" + path);
      assertThat(operations)
          .as(full)
          .anySatisfy(
              operation ->
                  assertThat(full.replaceAll("\\?.*", ""))
                      .matches(operation.replaceAll("\\{\\w+}", "[^/]+")));
      calls++;
    }
    assertThat(calls).isGreaterThanOrEqualTo(10);
  }

  @Test
  void canBeUsedByKeyboardAndReader() {
    assertThat(page).contains("<html lang=\"en\">", "class=\"skip\"", "role=\"alert\"");
    assertThat(find("<input[^>]* id=\"([^\"]*)\"", page))
        .allSatisfy(id -> assertThat(page).contains("<label for=\"" + id + "\""));
    assertThat(find("aria-labelledby=\"([^\"]*)\"", page))
        .allSatisfy(
            ids -> {
              for (String id : ids.split(" ")) {
                assertThat(page).contains("id=\"" + id + "\"");
              }
            });
    assertThat(style).contains(":focus-visible").doesNotContain("outline: none");
    // What scrolls sideways can be reached by keyboard.
    assertThat(find("(<div class=\"scroll\"[^>]*)", page))
        .isNotEmpty()
        .allSatisfy(tag -> assertThat(tag).contains("tabindex=\"0\""));
  }

  @Test
  void fitsPhonesAndDarkAndLight() {
    assertThat(page).contains("width=device-width");
    assertThat(style)
        .contains("prefers-color-scheme: dark", "max-width: 40rem", "color-scheme: light dark");
  }

  /** Contrast of text to ground by WCAG 2, in both schemes: 4.5 at least. */
  @Test
  void everyTextStandsOutFromItsGround() {
    List<String> schemes = find(":root \\{([^}]*--ground[^}]*)}", style);
    assertThat(schemes).hasSize(2);
    for (String scheme : schemes) {
      for (String ground : List.of("ground", "panel")) {
        for (String ink : List.of("ink", "soft", "accent", "good", "warn", "bad")) {
          assertThat(contrast(color(scheme, ink), color(scheme, ground)))
              .as(ink + " on " + ground + " in " + scheme)
              .isGreaterThanOrEqualTo(4.5);
        }
      }
    }
  }

  private static int color(String scheme, String name) {
    return Integer.parseInt(find("--" + name + ": #([0-9a-f]{6})", scheme).get(0), 16);
  }

  private static double contrast(int one, int other) {
    double brighter = Math.max(luminance(one), luminance(other));
    double darker = Math.min(luminance(one), luminance(other));
    return (brighter + 0.05) / (darker + 0.05);
  }

  private static double luminance(int rgb) {
    return 0.2126 * channel(rgb >> 16) + 0.7152 * channel(rgb >> 8) + 0.0722 * channel(rgb);
  }

  private static double channel(int value) {
    double part = (value & 0xff) / 255.0;
    return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
  }

  private static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }
}

package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.operations.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Chromium, and the script that drives it: {@code src/test/browser/page.js}. Each check is a
 * process of its own.
 */
final class Browser {
  /** The least that the driver runs on. */
  private static final int NODE_MIN = 18;

  private static final Path SCRIPTS = Path.of("src/test/browser").toAbsolutePath();

  private final Tool node;
  private final Tool chromium;
  private final Path pictures;

  private Browser(Tool node, Tool chromium, Path pictures) {
    this.node = node;
    this.chromium = chromium;
    this.pictures = pictures;
  }

  /** Skips the test where something is missing; docs/testing.md says how it is had. */
  static Browser orSkip() throws IOException, InterruptedException {
    Optional<Tool> chromium =
        Stream.of("chromium", "chromium-browser", "google-chrome")
            .flatMap(name -> Tool.find(name).stream())
            .findFirst();
    assumeTrue(chromium.isPresent(), "Chromium is not on this machine");
    Tool node = Tool.orSkip("node");
    Matcher version =
        Pattern.compile("v(\\d+)\\.").matcher(node.run(SCRIPTS, Map.of(), "-v").orFail());
    assumeTrue(
        version.find() && Integer.parseInt(version.group(1)) >= NODE_MIN,
        "node is older than " + NODE_MIN);
    assumeTrue(
        Files.isDirectory(SCRIPTS.resolve("node_modules/playwright-core")),
        "Playwright is not there: npm ci --ignore-scripts in " + SCRIPTS);
    Path pictures = Files.createDirectories(Path.of("target/page").toAbsolutePath());
    return new Browser(node, chromium.orElseThrow(), pictures);
  }

  /** Runs a check of the script, which has to hold. Its pictures stay in {@code target/page}. */
  void check(String name, Map<String, Object> given) throws IOException, InterruptedException {
    Map<String, Object> all = new TreeMap<>(given);
    all.put("chromium", chromium.path().toString());
    all.put("pictures", pictures.toString());
    Tool.Outcome outcome =
        node.run(SCRIPTS, Map.of(), "page.js", name, new ObjectMapper().writeValueAsString(all));
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    System.out.println(name + ": " + outcome.output().strip());
  }
}

package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/protocol.md} says of errors what the code says. */
class ErrorTableTest {
  private static final Path PAGE = Path.of("..", "docs", "protocol.md");
  private static final Pattern ROW =
      Pattern.compile("\\| (\\d{4}) \\| `([A-Z_]+)` \\| ([A-Z]+) \\| ([A-Z_]+) \\| .+ \\|");

  @Test
  void listsEveryCodeInTheOrderOfTheCode() throws IOException {
    List<String> listed;
    try (Stream<String> lines = Files.lines(PAGE)) {
      listed =
          lines
              .map(ROW::matcher)
              .filter(row -> row.matches())
              .map(row -> String.join(" ", row.group(1), row.group(2), row.group(3), row.group(4)))
              .toList();
    }

    assertThat(listed)
        .containsExactlyElementsOf(
            Stream.of(ErrorCode.values())
                .map(
                    c ->
                        String.join(
                            " ", "" + c.number(), c.name(), "" + c.blame(), "" + c.advice()))
                .toList());
  }
}

package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigReference;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.mapreduce.config.MapReduceKeys;
import io.sluice.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.shuffle.sluice.config.SluiceKeys;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/configuration.md} is what the code says. To write it anew: {@code mvn -pl
 * integration-tests -am test -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dsluice.docs.write=true}.
 */
class ConfigurationPageTest {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");

  @Test
  void matchesTheKeysInTheCode() throws IOException {
    String generated =
        ConfigReference.markdown(
            List.of(
                CoordinatorConfig.SECTION,
                ServerConfig.SECTION,
                SecurityConfig.SECTION,
                SluiceKeys.SECTION,
                MapReduceKeys.SECTION));
    if (Boolean.getBoolean("sluice.docs.write")) {
      Files.writeString(PAGE, generated);
    }

    assertThat(PAGE).as("see this class for how to write it anew").hasContent(generated);
  }
}

package io.sluice.client.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsProblems;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What settings of every engine's client must not contradict, whatever they are named there. */
public final class ClientChecks {
  private ClientChecks() {}

  /** Files for TLS are there to be used, hold what they should, and a certificate has its key. */
  public static ConfigCheck tls(
      ConfigKey<Boolean> enabled,
      ConfigKey<Optional<Path>> trust,
      ConfigKey<Optional<Path>> certificate,
      ConfigKey<Optional<Path>> key) {
    return ConfigCheck.over(
        List.of(enabled, trust, certificate, key),
        (settings, problems) -> {
          if (settings.get(certificate).isPresent() != settings.get(key).isPresent()) {
            problems.accept(certificate + " and " + key + " go together");
          }
          if (settings.get(enabled)) {
            TlsProblems.of(
                    new TlsFiles(settings.get(certificate), settings.get(key), settings.get(trust)),
                    certificate.name(),
                    key.name(),
                    trust.name())
                .forEach(problems);
          } else {
            Stream.of(trust, certificate, key)
                .filter(file -> settings.get(file).isPresent())
                .forEach(file -> problems.accept(useless(file, enabled)));
          }
        });
  }

  private static String useless(ConfigKey<?> file, ConfigKey<?> enabled) {
    return file + " is given, and " + enabled + " is not true: nothing is encrypted";
  }
}

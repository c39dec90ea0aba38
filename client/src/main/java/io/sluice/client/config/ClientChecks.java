package io.sluice.client.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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
          Stream.of(trust, certificate, key)
              .forEach(
                  file ->
                      settings
                          .get(file)
                          .ifPresent(
                              path ->
                                  checkFile(file, path, settings.get(enabled), enabled, problems)));
          // Of files that can be read; the others are told already.
          if (settings.get(enabled)
              && settings.get(certificate).isPresent() == settings.get(key).isPresent()
              && Stream.of(trust, certificate, key)
                  .map(settings::get)
                  .flatMap(Optional::stream)
                  .allMatch(Files::isReadable)) {
            TlsMaterial.problems(
                    new TlsFiles(settings.get(certificate), settings.get(key), settings.get(trust)))
                .forEach(problems);
          }
        });
  }

  private static void checkFile(
      ConfigKey<?> file,
      Path path,
      boolean used,
      ConfigKey<Boolean> enabled,
      Consumer<String> problems) {
    if (!used) {
      problems.accept(file + " is given, and " + enabled + " is not true: nothing is encrypted");
    } else if (!Files.isReadable(path)) {
      problems.accept(file + " = " + path + " cannot be read");
    }
  }
}

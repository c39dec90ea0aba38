package io.sluice.common.security;

import static io.sluice.common.security.SecurityConfig.CLUSTER_KEY_FILE;
import static io.sluice.common.security.SecurityConfig.ENABLED;
import static io.sluice.common.security.SecurityConfig.TLS_CERTIFICATE_FILE;
import static io.sluice.common.security.SecurityConfig.TLS_KEY_FILE;
import static io.sluice.common.security.SecurityConfig.TLS_TRUST_FILE;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.Settings;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.TlsProblems;
import java.util.List;
import java.util.function.Consumer;

/**
 * That the files which {@link SecurityConfig#SECTION} names are of use: told with all else that is
 * wrong, to those who are about to use them. Reads them, as the start that follows does again.
 */
public final class SecurityFiles {
  /** For {@link io.sluice.common.config.ConfigReader#check}. */
  public static final List<ConfigCheck> CHECKS =
      List.of(
          ConfigCheck.over(List.of(ENABLED, CLUSTER_KEY_FILE), SecurityFiles::clusterKey),
          ConfigCheck.over(
              List.of(TLS_CERTIFICATE_FILE, TLS_KEY_FILE, TLS_TRUST_FILE), SecurityFiles::tls));

  private SecurityFiles() {}

  private static void clusterKey(Settings settings, Consumer<String> problems) {
    if (settings.get(ENABLED)) {
      settings
          .get(CLUSTER_KEY_FILE)
          .ifPresent(
              file -> {
                try {
                  ClusterKey.read(file);
                } catch (SluiceException e) {
                  problems.accept(e.detail());
                }
              });
    }
  }

  private static void tls(Settings settings, Consumer<String> problems) {
    TlsProblems.of(
            SecurityConfig.tlsFiles(settings),
            TLS_CERTIFICATE_FILE.name(),
            TLS_KEY_FILE.name(),
            TLS_TRUST_FILE.name())
        .forEach(problems);
  }
}

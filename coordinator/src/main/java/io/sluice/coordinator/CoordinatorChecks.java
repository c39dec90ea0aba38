package io.sluice.coordinator;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.DirectoryCheck;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.rest.Access;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.security.auth.x500.X500Principal;

/**
 * What a coordinator's settings and those about security must not contradict in each other. To be
 * asked together with both sections, so that all is told at once; the start says the same one by
 * one.
 */
public final class CoordinatorChecks {
  /** The checks. */
  public static final List<ConfigCheck> ALL =
      List.of(
          SecurityConfig.listening(CoordinatorConfig.BIND_ADDRESS),
          SecurityConfig.tokens(
              List.of(
                  CoordinatorConfig.HTTP_READ_TOKEN_FILE, CoordinatorConfig.HTTP_ADMIN_TOKEN_FILE),
              CoordinatorConfig.HTTP_TLS,
              CoordinatorConfig.BIND_ADDRESS),
          ConfigCheck.over(
              List.of(
                  CoordinatorConfig.HTTP_READ_TOKEN_FILE,
                  CoordinatorConfig.HTTP_ADMIN_TOKEN_FILE,
                  SecurityConfig.ENABLED),
              (settings, problems) ->
                  tokens(
                      settings.get(CoordinatorConfig.HTTP_READ_TOKEN_FILE).isPresent()
                          || settings.get(CoordinatorConfig.HTTP_ADMIN_TOKEN_FILE).isPresent(),
                      settings.get(SecurityConfig.ENABLED),
                      problems)),
          ConfigCheck.over(
              List.of(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES, SecurityConfig.ENABLED),
              (settings, problems) ->
                  certificates(
                      settings.get(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES).isPresent(),
                      settings.get(SecurityConfig.ENABLED),
                      problems)),
          ConfigCheck.over(
              List.of(
                  CoordinatorConfig.HTTP_ADMIN_CERTIFICATES,
                  CoordinatorConfig.HTTP_TLS,
                  SecurityConfig.TLS_CLIENT_CERTIFICATES),
              (settings, problems) -> {
                if (settings.get(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES).isPresent()
                    && !(settings.get(CoordinatorConfig.HTTP_TLS)
                        && settings.get(SecurityConfig.TLS_CLIENT_CERTIFICATES))) {
                  problems.accept(
                      CoordinatorConfig.HTTP_ADMIN_CERTIFICATES
                          + " needs "
                          + CoordinatorConfig.HTTP_TLS
                          + " and "
                          + SecurityConfig.TLS_CLIENT_CERTIFICATES);
                }
              }),
          ConfigCheck.over(
              List.of(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES),
              (settings, problems) ->
                  settings
                      .get(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES)
                      .ifPresent(names -> names(names, problems))),
          ConfigCheck.over(
              List.of(CoordinatorConfig.HTTP_TLS, SecurityConfig.TLS_CERTIFICATE_FILE),
              (settings, problems) -> {
                Optional<?> certificate = settings.get(SecurityConfig.TLS_CERTIFICATE_FILE);
                tls(settings.get(CoordinatorConfig.HTTP_TLS), certificate.isPresent(), problems);
              }));

  /** That the address and the directory which settings name can be used. */
  public static final List<ConfigCheck> PLACES =
      List.of(
          ConfigCheck.resolvable(CoordinatorConfig.BIND_ADDRESS),
          ConfigCheck.over(
              List.of(CoordinatorConfig.DATA_DIR, CoordinatorConfig.ZOOKEEPER_CONNECT),
              (settings, problems) -> {
                // Only a ZooKeeper within this process keeps anything there.
                if (settings.get(CoordinatorConfig.ZOOKEEPER_CONNECT).isEmpty()) {
                  DirectoryCheck.problem(
                          CoordinatorConfig.DATA_DIR, settings.get(CoordinatorConfig.DATA_DIR))
                      .ifPresent(problems);
                }
              }));

  /** That the files which settings name are of use; those about security have their own. */
  public static final List<ConfigCheck> FILES =
      List.of(
          ConfigCheck.over(
              List.of(
                  CoordinatorConfig.ZOOKEEPER_DIGEST_FILE,
                  CoordinatorConfig.ZOOKEEPER_TLS_TRUST_FILE,
                  CoordinatorConfig.ZOOKEEPER_TLS_IDENTITY_FILE),
              (settings, problems) ->
                  CoordinatorConfig.zooKeeperAccess(settings)
                      .check(
                          CoordinatorConfig.ZOOKEEPER_TLS_TRUST_FILE.name(),
                          CoordinatorConfig.ZOOKEEPER_TLS_IDENTITY_FILE.name(),
                          problems)),
          ConfigCheck.over(
              List.of(
                  CoordinatorConfig.HTTP_READ_TOKEN_FILE, CoordinatorConfig.HTTP_ADMIN_TOKEN_FILE),
              (settings, problems) ->
                  Access.check(
                      settings.get(CoordinatorConfig.HTTP_READ_TOKEN_FILE),
                      settings.get(CoordinatorConfig.HTTP_ADMIN_TOKEN_FILE),
                      problems)));

  private CoordinatorChecks() {}

  private static void names(String names, Consumer<String> problems) {
    for (String name : names.split(";")) {
      try {
        new X500Principal(name.trim());
      } catch (IllegalArgumentException e) {
        problems.accept(
            CoordinatorConfig.HTTP_ADMIN_CERTIFICATES
                + ": "
                + name.trim()
                + " is no name of a certificate, such as CN=ops,O=Example");
      }
    }
  }

  /** What is wrong with tokens for REST, if there are any. */
  static void tokens(boolean given, boolean secured, Consumer<String> problems) {
    keepNobodyOut("tokens for REST", given && !secured, problems);
  }

  /** The same of the names of admins' certificates. */
  static void certificates(boolean given, boolean secured, Consumer<String> problems) {
    keepNobodyOut(CoordinatorConfig.HTTP_ADMIN_CERTIFICATES.name(), given && !secured, problems);
  }

  private static void keepNobodyOut(String what, boolean isSo, Consumer<String> problems) {
    if (isSo) {
      problems.accept(
          what
              + " keep nobody out while everybody may call over gRPC: set "
              + SecurityConfig.ENABLED
              + " as well");
    }
  }

  /** What is wrong with TLS for REST, if that is wanted. */
  static void tls(boolean wanted, boolean certificate, Consumer<String> problems) {
    if (wanted && !certificate) {
      problems.accept(CoordinatorConfig.HTTP_TLS + " needs " + SecurityConfig.TLS_CERTIFICATE_FILE);
    }
  }
}

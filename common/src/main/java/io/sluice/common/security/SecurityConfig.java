package io.sluice.common.security;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whom the processes of a cluster believe. Immutable. */
public final class SecurityConfig {
  public static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool("security.enabled")
          .doc(
              "Whether applications, servers and operators have to prove who they are. The same for"
                  + " all coordinators and servers; applications set spark.sluice.security.enabled.")
          .defaultsTo("false");
  public static final ConfigKey<Optional<Path>> CLUSTER_KEY_FILE =
      ConfigKey.path("security.cluster-key-file")
          .doc(
              "The key of coordinators, servers and operators: a line of at least 32 letters. Of"
                  + " several lines the first is used and all are accepted. Needed with"
                  + " security.enabled.")
          .optional();
  public static final ConfigKey<Boolean> TRUSTED_NETWORK =
      ConfigKey.bool("security.trusted-network")
          .doc(
              "Says that nobody listens on the network: with security.enabled and without TLS a"
                  + " process listens on addresses other than loopback only if this is true.")
          .defaultsTo("false");

  public static final ConfigKey<Optional<Path>> TLS_CERTIFICATE_FILE =
      ConfigKey.path("security.tls.certificate-file")
          .doc(
              "The process's certificate in PEM, those that sign it behind it; it has to name every"
                  + " host that the process is reached under. With it, data and control"
                  + " connections are encrypted, and only such are accepted. Files that change are"
                  + " taken up within ten seconds.")
          .optional();
  public static final ConfigKey<Optional<Path>> TLS_KEY_FILE =
      ConfigKey.path("security.tls.key-file")
          .doc("The certificate's private key in PEM: PKCS #8, RSA or EC, without a password.")
          .optional();
  public static final ConfigKey<Optional<Path>> TLS_TRUST_FILE =
      ConfigKey.path("security.tls.trust-file")
          .doc(
              "Authorities in PEM whose certificates are believed. Without it, those of the Java"
                  + " runtime.")
          .optional();
  public static final ConfigKey<Boolean> TLS_CLIENT_CERTIFICATES =
      ConfigKey.bool("security.tls.client-certificates")
          .doc(
              "Whether whoever connects has to show a certificate, too, that one of"
                  + " security.tls.trust-file has signed.")
          .defaultsTo("false");

  /** The section for the reference page; read by every service. */
  public static final ConfigSection SECTION =
      ConfigSection.of(
              "Security",
              "Read by `sluice coordinator run` and `sluice server run`. Off unless set: a service"
                  + " that listens on other addresses than loopback then warns.",
              List.of(
                  ENABLED,
                  CLUSTER_KEY_FILE,
                  TRUSTED_NETWORK,
                  TLS_CERTIFICATE_FILE,
                  TLS_KEY_FILE,
                  TLS_TRUST_FILE,
                  TLS_CLIENT_CERTIFICATES))
          .withChecks(
              ConfigCheck.over(
                  List.of(TLS_CERTIFICATE_FILE, TLS_KEY_FILE),
                  (settings, problems) -> {
                    if (settings.get(TLS_CERTIFICATE_FILE).isPresent()
                        != settings.get(TLS_KEY_FILE).isPresent()) {
                      problems.accept(
                          TLS_CERTIFICATE_FILE + " and " + TLS_KEY_FILE + " go together");
                    }
                  }),
              ConfigCheck.over(
                  List.of(TLS_CERTIFICATE_FILE, TLS_TRUST_FILE, TLS_CLIENT_CERTIFICATES),
                  (settings, problems) -> {
                    if (settings.get(TLS_CERTIFICATE_FILE).isEmpty()
                        && (settings.get(TLS_TRUST_FILE).isPresent()
                            || settings.get(TLS_CLIENT_CERTIFICATES))) {
                      problems.accept(
                          TLS_TRUST_FILE
                              + " and "
                              + TLS_CLIENT_CERTIFICATES
                              + " need "
                              + TLS_CERTIFICATE_FILE);
                    }
                  }),
              ConfigCheck.over(
                  List.of(ENABLED, CLUSTER_KEY_FILE),
                  (settings, problems) -> {
                    if (settings.get(ENABLED) && settings.get(CLUSTER_KEY_FILE).isEmpty()) {
                      problems.accept(ENABLED + " needs " + CLUSTER_KEY_FILE);
                    }
                  }));

  private static final Logger log = LoggerFactory.getLogger(SecurityConfig.class);
  private static final SecurityConfig OFF =
      new SecurityConfig(Optional.empty(), Optional.empty(), false);

  private final Optional<ClusterKey> clusterKey;
  private final Optional<Tls> tls;
  private final boolean trustedNetwork;

  private SecurityConfig(
      Optional<ClusterKey> clusterKey, Optional<Tls> tls, boolean trustedNetwork) {
    this.clusterKey = clusterKey;
    this.tls = tls;
    this.trustedNetwork = trustedNetwork;
  }

  /**
   * Refuses what {@link #checkListening} would, as far as settings tell.
   *
   * @param bindAddress of the service that reads the section
   */
  public static ConfigCheck listening(ConfigKey<String> bindAddress) {
    return ConfigCheck.over(
        List.of(ENABLED, TRUSTED_NETWORK, TLS_CERTIFICATE_FILE, bindAddress),
        (settings, problems) -> {
          if (settings.get(ENABLED)
              && settings.get(TLS_CERTIFICATE_FILE).isEmpty()
              && isOverheard(settings.get(bindAddress), settings.get(TRUSTED_NETWORK))) {
            problems.accept(secretsInTheClear(bindAddress.name()));
          }
        });
  }

  /**
   * Refuses what {@link #checkTokens} would, as far as settings tell.
   *
   * @param files with tokens, where there are any
   * @param encrypted whether the port that takes tokens speaks TLS
   * @param bindAddress of the service that reads the section
   */
  public static ConfigCheck tokens(
      List<ConfigKey<Optional<Path>>> files,
      ConfigKey<Boolean> encrypted,
      ConfigKey<String> bindAddress) {
    List<ConfigKey<?>> keys = new ArrayList<>(files);
    keys.addAll(List.of(encrypted, TRUSTED_NETWORK, bindAddress));
    return ConfigCheck.over(
        keys,
        (settings, problems) -> {
          if (files.stream().anyMatch(file -> settings.get(file).isPresent())
              && !settings.get(encrypted)
              && isOverheard(settings.get(bindAddress), settings.get(TRUSTED_NETWORK))) {
            problems.accept(tokensInTheClear(encrypted.name()));
          }
        });
  }

  /** Whether others may hear what is not encrypted. */
  private static boolean isOverheard(String bindAddress, boolean trustedNetwork) {
    return !trustedNetwork && !isLoopback(bindAddress);
  }

  private static String tokensInTheClear(String tlsSetting) {
    return "without TLS, who listens on the network learns tokens: set "
        + tlsSetting
        + ", or "
        + TRUSTED_NETWORK
        + "=true if nobody does";
  }

  private static String secretsInTheClear(String bindSetting) {
    return "without TLS, who listens on the network learns secrets: set "
        + TLS_CERTIFICATE_FILE
        + ", or "
        + TRUSTED_NETWORK
        + "=true if nobody does, or "
        + bindSetting
        + " to a loopback address";
  }

  /** Everyone is believed. */
  public static SecurityConfig off() {
    return OFF;
  }

  /**
   * Reads settings, and the files that they name.
   *
   * @throws SluiceException INVALID_CONFIGURATION naming a file that cannot be used
   */
  public static SecurityConfig from(Settings settings) {
    Optional<ClusterKey> key =
        settings.get(ENABLED)
            ? settings.get(CLUSTER_KEY_FILE).map(ClusterKey::read)
            : Optional.empty();
    return new SecurityConfig(key, tls(settings), settings.get(TRUSTED_NETWORK));
  }

  private static Optional<Tls> tls(Settings settings) {
    if (settings.get(TLS_CERTIFICATE_FILE).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Tls(TlsMaterial.open(tlsFiles(settings)), settings.get(TLS_CLIENT_CERTIFICATES)));
  }

  static TlsFiles tlsFiles(Settings settings) {
    return new TlsFiles(
        settings.get(TLS_CERTIFICATE_FILE),
        settings.get(TLS_KEY_FILE),
        settings.get(TLS_TRUST_FILE));
  }

  /** How connections are encrypted; empty if they are not. */
  public Optional<Tls> tls() {
    return tls;
  }

  /** The cluster's key; empty where security is off. */
  public Optional<ClusterKey> clusterKey() {
    return clusterKey;
  }

  /**
   * Refuses, or warns of, what listening on an address would give away.
   *
   * @param bindAddress as configured
   * @param setting that names it
   * @throws SluiceException INVALID_CONFIGURATION if secrets would cross an untrusted network
   */
  public void checkListening(String bindAddress, String setting) {
    if (isLoopback(bindAddress)) {
      return;
    }
    if (clusterKey.isEmpty()) {
      log.warn(
          "SECURITY IS OFF: whoever reaches {} can read, write and delete every application's"
              + " data. Set {}, or {} to a loopback address",
          bindAddress,
          ENABLED,
          setting);
    } else if (tls.isEmpty() && isOverheard(bindAddress, trustedNetwork)) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, secretsInTheClear(setting));
    }
  }

  /**
   * Refuses tokens that whoever listens on the network would learn.
   *
   * @param setting that would encrypt them
   * @throws SluiceException INVALID_CONFIGURATION
   */
  public void checkTokens(String bindAddress, String setting) {
    if (isOverheard(bindAddress, trustedNetwork)) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, tokensInTheClear(setting));
    }
  }

  /**
   * Refuses replicas that servers would refuse with the first block: a server proves itself as a
   * member where an application says, and without TLS that proof could be passed on.
   *
   * @param replicas servers that are to hold each block
   * @throws SluiceException INVALID_CONFIGURATION naming the settings
   */
  public void checkReplicas(int replicas) {
    if (replicas > 1 && clusterKey.isPresent() && tls.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          replicas
              + " replicas need TLS where applications prove who they are: with "
              + ENABLED
              + "=true set "
              + TLS_CERTIFICATE_FILE
              + " for coordinators and servers and spark.sluice.tls.enabled for the application,"
              + " or spark.sluice.replicas=1");
    }
  }

  private static boolean isLoopback(String bindAddress) {
    try {
      return InetAddress.getByName(bindAddress).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false; // listening there will say so
    }
  }
}

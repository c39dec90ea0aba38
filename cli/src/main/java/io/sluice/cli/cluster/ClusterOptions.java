package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DurationConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.FormatOption;
import io.sluice.client.ClientSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command needs that asks a cluster. */
public final class ClusterOptions {
  private static final String HERE = "localhost:7400";

  @Option(
      names = {"--coordinator", "--coordinators"},
      split = ",",
      description = "host:port of any coordinator; several with commas; default " + HERE,
      paramLabel = "HOST:PORT")
  private @Nullable List<String> coordinators;

  @Option(
      names = "--leader-timeout",
      defaultValue = "15s",
      showDefaultValue = Visibility.ALWAYS,
      converter = DurationConverter.class,
      description = "how long to wait while no coordinator leads; 0 not at all",
      paramLabel = "TIME")
  private Duration leaderTimeout = Duration.ofSeconds(15);

  private Found found = new Found(List.of(), Optional.empty(), Optional.empty());

  @Mixin private FormatOption format = new FormatOption();

  @Option(
      names = "--cluster-key-file",
      description = "the cluster's key, where security is on",
      paramLabel = "FILE")
  private @Nullable Path clusterKeyFile;

  @Option(
      names = "--tls-trust-file",
      description = "authorities to believe, in PEM, where TLS is on",
      paramLabel = "FILE")
  private @Nullable Path trustFile;

  @Option(
      names = "--tls-certificate-file",
      description = "the own certificate, in PEM, where clients have to show one",
      paramLabel = "FILE")
  private @Nullable Path certificateFile;

  @Option(names = "--tls-key-file", description = "its private key", paramLabel = "FILE")
  private @Nullable Path keyFile;

  /**
   * What a file of settings says of the cluster.
   *
   * @param coordinators host:port of each; none if it does not say
   * @param clusterKey empty where security is off
   * @param tls empty where TLS is off
   */
  public record Found(
      List<String> coordinators, Optional<Path> clusterKey, Optional<TlsFiles> tls) {}

  /** Takes from a file of settings what was not given on the command line. */
  public void fallBackTo(Found settings) {
    found = settings;
  }

  /** Whether coordinators were named, on the command line or by what it falls back to. */
  public boolean namesCoordinators() {
    return coordinators != null || !found.coordinators().isEmpty();
  }

  /** How coordinators are reached. */
  CoordinatorChannels channels() {
    return CoordinatorChannels.with(clusterKey(), tls());
  }

  private Optional<Path> clusterKey() {
    return clusterKeyFile == null ? found.clusterKey() : Optional.of(clusterKeyFile);
  }

  /**
   * As whom a command that moves data does so: as an application with a secret of its own where
   * security is on. The cluster's key is for coordinators alone.
   *
   * @throws io.sluice.common.error.SluiceException INVALID_CONFIGURATION if a file cannot be used
   */
  public ClientSecurity security(ApplicationId application) {
    CoordinatorChannels.quiet();
    Optional<Tls> tls = tls().map(files -> new Tls(TlsMaterial.open(files), false));
    if (clusterKey().isPresent()) {
      return ClientSecurity.of(application, Secret.of(Secret.random()), tls);
    }
    return tls.map(ClientSecurity::encrypted).orElseGet(ClientSecurity::off);
  }

  private Optional<TlsFiles> tls() {
    if ((certificateFile == null) != (keyFile == null)) {
      throw new CommandFailedException(
          ExitCode.USAGE, "--tls-certificate-file and --tls-key-file go together");
    }
    return trustFile == null && certificateFile == null
        ? found.tls()
        : Optional.of(
            new TlsFiles(
                Optional.ofNullable(certificateFile),
                Optional.ofNullable(keyFile),
                Optional.ofNullable(trustFile)));
  }

  /**
   * Of the coordinators.
   *
   * @throws CommandFailedException USAGE naming one that is none
   */
  public List<HostPort> addresses() {
    return coordinators().stream()
        .map(
            text ->
                HostPort.tryParse(text)
                    .orElseThrow(
                        () ->
                            new CommandFailedException(
                                ExitCode.USAGE, "--coordinator: '" + text + "' is no host:port")))
        .toList();
  }

  /**
   * The same as text.
   *
   * @throws CommandFailedException USAGE naming one that is none
   */
  List<String> named() {
    return addresses().stream().map(HostPort::toString).toList();
  }

  private List<String> coordinators() {
    if (coordinators != null) {
      return coordinators;
    }
    return found.coordinators().isEmpty() ? List.of(HERE) : found.coordinators();
  }

  /** How long to wait while no coordinator leads. */
  public Duration leaderTimeout() {
    return leaderTimeout;
  }

  /** Calls to whoever leads. */
  RestCalls calls() {
    return new RestCalls(channels(), named(), leaderTimeout);
  }

  /** An answer as it is wanted. */
  public String write(JsonNode answer, Supplier<String> table) {
    return format.write(answer, table);
  }

  /** What is told bit by bit: for programs an object a time, on a line of its own in JSON. */
  String writeNext(JsonNode object, Supplier<String> line) {
    return format.writeNext(object, line);
  }
}

package io.sluice.mapreduce.config;

import io.sluice.client.config.ClientChecks;
import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import io.sluice.common.placement.Label;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.security.Secret;
import io.sluice.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every entry of the MapReduce client. Users need only the first. */
public final class MapReduceKeys {
  static final String PREFIX = "mapreduce.sluice.";

  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts(PREFIX + "coordinator.quorum")
          .doc("The coordinators; any of them answers or names the leader.")
          .required();

  static final ConfigKey<Integer> REPLICAS =
      ConfigKey.integer(PREFIX + "replicas")
          .doc(
              "Servers that hold each block. With 2, the loss of any one server costs no map that"
                  + " runs again, and one transfer more for each byte.")
          .between("1", "3")
          .defaultsTo("1");

  static final ConfigKey<Optional<PlacementStyle>> PLACEMENT =
      ConfigKey.oneOf(PREFIX + "placement", PlacementStyle.class)
          .doc(
              "How the job's shuffles are dealt out to servers: balanced to all, packed to few,"
                  + " zone-local to those of one zone. Without it, as coordinator.placement says.")
          .optional();

  static final ConfigKey<Optional<List<String>>> PLACEMENT_TAGS =
      ConfigKey.listOf(PREFIX + "placement.tags", "label", Label::parse)
          .doc(
              "Only servers that have all of these tags (server.tags) may hold the job's data. If"
                  + " there is none, the job fails at once.")
          .optional();

  static final ConfigKey<Optional<String>> PLACEMENT_ZONE =
      ConfigKey.of(PREFIX + "placement.zone", "label", Label::parse)
          .doc("The zone (server.zone) that the job runs in, which zone-local placement keeps to.")
          .optional();

  static final ConfigKey<DataSize> BLOCK_SIZE =
      ConfigKey.size(PREFIX + "block.size")
          .doc(
              "Sorted records of one partition that are compressed and pushed as one block. Must be"
                  + " below server.block.max.")
          .between("16k", "1m")
          .defaultsTo("256k");

  static final ConfigKey<DataSize> WRITE_IN_FLIGHT =
      ConfigKey.size(PREFIX + "write.in-flight")
          .doc(
              "Bytes that a map task may have sent without acknowledgement, in direct memory beside"
                  + " mapreduce.task.io.sort.mb.")
          .between("1m", "1g")
          .defaultsTo("8m");

  static final ConfigKey<DataSize> READ_IN_FLIGHT =
      ConfigKey.size(PREFIX + "read.in-flight")
          .doc(
              "Bytes that servers may have under way to a reduce task, in direct memory beside the"
                  + " heap that it merges in.")
          .between("1m", "1g")
          .defaultsTo("8m");

  static final ConfigKey<Transport> TRANSPORT =
      ConfigKey.oneOf(PREFIX + "transport", Transport.class)
          .doc("How tasks talk to servers: netty, or grpc for networks that only admit HTTP/2.")
          .defaultsTo("netty");

  static final ConfigKey<Duration> CONNECT_TIMEOUT =
      ConfigKey.duration(PREFIX + "connect-timeout")
          .doc("How long one attempt to connect to a server may take.")
          .between("100ms", "2m")
          .defaultsTo("10s");

  static final ConfigKey<Duration> SUSPECT_AFTER =
      ConfigKey.duration(PREFIX + "suspect-after")
          .doc(
              "How long a server may say nothing before blocks that it has not answered go to"
                  + " another one.")
          .between("500ms", "10m")
          .defaultsTo("5s");

  static final ConfigKey<Duration> RECONNECT_DEADLINE =
      ConfigKey.duration(PREFIX + "reconnect-deadline")
          .doc("How long a lost connection is tried again before its server counts as gone.")
          .between("1s", "10m")
          .defaultsTo("30s");

  static final ConfigKey<Duration> BLOCK_DEADLINE =
      ConfigKey.duration(PREFIX + "block-deadline")
          .doc(
              "How long a push or fetch may make no progress at all before it fails. Below"
                  + " mapreduce.task.timeout, so that a task says why it failed.")
          .between("1s", "1h")
          .defaultsTo("2m");

  static final ConfigKey<Duration> COORDINATOR_DEADLINE =
      ConfigKey.duration(PREFIX + "coordinator.deadline")
          .doc("How long a task tries to reach a coordinator, if it needs one, before it fails.")
          .between("1s", "1h")
          .defaultsTo("2m");

  static final ConfigKey<Duration> LEASE =
      ConfigKey.duration(PREFIX + "lease")
          .doc(
              "How long the job's data stays when no task of it begins and nobody says that the job"
                  + " ended. Longer than reduce tasks may wait for a place to run.")
          .between("1m", "7d")
          .defaultsTo("24h");

  static final ConfigKey<Boolean> SECURITY_ENABLED =
      ConfigKey.bool(PREFIX + "security.enabled")
          .doc(
              "Whether to prove to coordinators and servers which job this is. As security.enabled"
                  + " there.")
          .defaultsTo("false");

  static final ConfigKey<Optional<String>> SECRET =
      ConfigKey.text(PREFIX + "secret")
          .doc(
              "What the job proves itself by, 32 letters or more, where it is not to be derived"
                  + " from the job's shuffle key. Whoever may read the job's configuration may read"
                  + " it.")
          .secret()
          .optional();

  static final ConfigKey<Boolean> TLS_ENABLED =
      ConfigKey.bool(PREFIX + "tls.enabled")
          .doc(
              "Whether connections to coordinators and servers are encrypted. As"
                  + " security.tls.certificate-file there.")
          .defaultsTo("false");

  static final ConfigKey<Optional<Path>> TLS_TRUST_FILE =
      ConfigKey.path(PREFIX + "tls.trust-file")
          .doc(
              "Authorities in PEM, on every machine that runs tasks. Without it, those of the Java"
                  + " runtime.")
          .optional();

  static final ConfigKey<Optional<Path>> TLS_CERTIFICATE_FILE =
      ConfigKey.path(PREFIX + "tls.certificate-file")
          .doc("The task's own certificate in PEM, where security.tls.client-certificates is.")
          .optional();

  static final ConfigKey<Optional<Path>> TLS_KEY_FILE =
      ConfigKey.path(PREFIX + "tls.key-file")
          .doc("Its private key in PEM: PKCS #8 without a password.")
          .optional();

  /** The section for the reference page. */
  public static final ConfigSection SECTION =
      ConfigSection.of(
              "MapReduce client",
              "Set in a job's configuration, beside the two plug-ins that mapreduce.md names.",
              List.of(
                  COORDINATORS,
                  REPLICAS,
                  PLACEMENT,
                  PLACEMENT_TAGS,
                  PLACEMENT_ZONE,
                  BLOCK_SIZE,
                  WRITE_IN_FLIGHT,
                  READ_IN_FLIGHT,
                  TRANSPORT,
                  CONNECT_TIMEOUT,
                  SUSPECT_AFTER,
                  RECONNECT_DEADLINE,
                  BLOCK_DEADLINE,
                  COORDINATOR_DEADLINE,
                  LEASE,
                  SECURITY_ENABLED,
                  SECRET,
                  TLS_ENABLED,
                  TLS_TRUST_FILE,
                  TLS_CERTIFICATE_FILE,
                  TLS_KEY_FILE))
          .withChecks(
              ClientChecks.tls(TLS_ENABLED, TLS_TRUST_FILE, TLS_CERTIFICATE_FILE, TLS_KEY_FILE),
              ConfigCheck.over(
                  List.of(SECURITY_ENABLED, SECRET),
                  (settings, problems) -> {
                    Optional<String> secret = settings.get(SECRET);
                    if (secret.isPresent() && !settings.get(SECURITY_ENABLED)) {
                      problems.accept(
                          SECRET + " is given, and " + SECURITY_ENABLED + " is not true");
                    }
                    if (secret.filter(MapReduceKeys::isShort).isPresent()) {
                      problems.accept(SECRET + " needs at least " + Secret.MIN_BYTES + " letters");
                    }
                  }));

  private static boolean isShort(String secret) {
    return secret.getBytes(StandardCharsets.UTF_8).length < Secret.MIN_BYTES;
  }

  private MapReduceKeys() {}
}

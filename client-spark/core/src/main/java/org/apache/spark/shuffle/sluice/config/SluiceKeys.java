package org.apache.spark.shuffle.sluice.config;

import io.sluice.client.config.ClientChecks;
import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import io.sluice.common.placement.Label;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every entry of the Spark client. Users need only the first. */
public final class SluiceKeys {
  static final String PREFIX = "spark.sluice.";

  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts(PREFIX + "coordinator.quorum")
          .doc("The coordinators; any of them answers or names the leader.")
          .required();

  static final ConfigKey<Optional<String>> CODEC =
      ConfigKey.text(PREFIX + "codec")
          .doc(
              "What blocks are compressed with: lz4, zstd, none, or any codec Spark knows. Blocks"
                  + " that do not shrink are stored as they are. Without it,"
                  + " spark.io.compression.codec; none if spark.shuffle.compress is false.")
          .optional();

  static final ConfigKey<DataSize> BLOCK_SIZE =
      ConfigKey.size(PREFIX + "block.size")
          .doc(
              "Serialised bytes of one partition that are compressed and pushed as one block. Five"
                  + " quarters of it must fit in server.block.max.")
          .between("16k", "1m")
          .defaultsTo("256k");

  static final ConfigKey<DataSize> WRITE_BUFFER =
      ConfigKey.size(PREFIX + "write.buffer")
          .doc(
              "Serialised records that a map task collects, in Spark's execution memory, before it"
                  + " sorts and pushes them, at most. More than a block for each partition, or 16m,"
                  + " it does not collect: only blocks of very uneven partitions would be larger.")
          .between("1m", "4g")
          .defaultsTo("128m");

  static final ConfigKey<DataSize> WRITE_IN_FLIGHT =
      ConfigKey.size(PREFIX + "write.inFlight")
          .doc("Bytes that a map task may have sent without acknowledgement.")
          .between("1m", "1g")
          .defaultsTo("8m");

  static final ConfigKey<DataSize> READ_IN_FLIGHT =
      ConfigKey.size(PREFIX + "read.inFlight")
          .doc("Bytes that servers may have under way to a reduce task.")
          .between("1m", "1g")
          .defaultsTo("16m");

  static final ConfigKey<Transport> TRANSPORT =
      ConfigKey.oneOf(PREFIX + "transport", Transport.class)
          .doc(
              "How executors talk to servers. grpc is for networks that only admit HTTP/2, costs"
                  + " more CPU, and uses servers with server.grpc.port only.")
          .defaultsTo("netty");

  static final ConfigKey<Integer> CONNECTIONS =
      ConfigKey.integer(PREFIX + "connectionsPerServer")
          .doc("Connections of each executor to each server; shuffles are spread over them.")
          .between("1", "4")
          .defaultsTo("1");

  static final ConfigKey<Integer> REPLICAS =
      ConfigKey.integer(PREFIX + "replicas")
          .doc(
              "Servers that hold each block. With 2, the loss of any one server costs no"
                  + " recomputation, and one transfer more for each byte. Servers must be at least"
                  + " as many.")
          .between("1", "3")
          .defaultsTo("1");

  static final ConfigKey<Optional<PlacementStyle>> PLACEMENT =
      ConfigKey.oneOf(PREFIX + "placement", PlacementStyle.class)
          .doc(
              "How the application's shuffles are dealt out to servers: balanced to all, packed to"
                  + " few, zone-local to those of one zone. Without it, as coordinator.placement"
                  + " says.")
          .optional();

  static final ConfigKey<Optional<List<String>>> PLACEMENT_TAGS =
      ConfigKey.listOf(PREFIX + "placement.tags", "label", Label::parse)
          .doc(
              "Only servers that have all of these tags (server.tags) may hold the application's"
                  + " data. If there is none, a shuffle fails at once.")
          .optional();

  static final ConfigKey<Optional<String>> PLACEMENT_ZONE =
      ConfigKey.of(PREFIX + "placement.zone", "label", Label::parse)
          .doc(
              "The zone (server.zone) that the application runs in, which zone-local placement"
                  + " keeps to.")
          .optional();

  static final ConfigKey<Duration> CONNECT_TIMEOUT =
      ConfigKey.duration(PREFIX + "connectTimeout")
          .doc("How long one attempt to connect to a server may take.")
          .between("100ms", "2m")
          .defaultsTo("10s");

  static final ConfigKey<Duration> RECONNECT_DEADLINE =
      ConfigKey.duration(PREFIX + "reconnectDeadline")
          .doc(
              "How long a lost connection is tried again before its server counts as gone, unless"
                  + " coordinators expect it back.")
          .between("1s", "1h")
          .defaultsTo("30s");

  static final ConfigKey<Duration> SUSPECT_AFTER =
      ConfigKey.duration(PREFIX + "suspectAfter")
          .doc(
              "How long a server may say nothing before blocks that it has not answered go to"
                  + " another one.")
          .between("500ms", "10m")
          .defaultsTo("5s");

  static final ConfigKey<Duration> BLOCK_DEADLINE =
      ConfigKey.duration(PREFIX + "blockDeadline")
          .doc(
              "How long a push or fetch may make no progress at all before it fails, unless it waits"
                  + " for a server that coordinators expect back.")
          .between("1s", "1h")
          .defaultsTo("2m");

  static final ConfigKey<Duration> COORDINATOR_DEADLINE =
      ConfigKey.duration(PREFIX + "coordinator.deadline")
          .doc("How long the driver tries to reach a coordinator before a shuffle fails.")
          .between("1s", "1h")
          .defaultsTo("2m");

  static final ConfigKey<FallbackPolicy> FALLBACK =
      ConfigKey.oneOf(PREFIX + "fallback", FallbackPolicy.class)
          .doc(
              "When a shuffle goes through Spark's own shuffle, on executors' disks: never (what"
                  + " coordinators refuse, or cannot be asked, fails its job), auto (just then),"
                  + " always (as if Sluice were not there). With never, executors that are idle can"
                  + " go at once; with auto Spark keeps those that wrote map outputs of a running"
                  + " job, unless spark.dynamicAllocation.shuffleTracking.enabled is false.")
          .defaultsTo("never");

  static final ConfigKey<Duration> FALLBACK_AFTER =
      ConfigKey.duration(PREFIX + "fallback.after")
          .doc(
              "With auto, how long a shuffle waits for a coordinator that answers, servers or room"
                  + " before it is local, spark.sluice.coordinator.deadline at most. A change of"
                  + " leader takes 2 to 5 s. For ten times as long afterwards no shuffle waits: all"
                  + " are local.")
          .between("1s", "1h")
          .defaultsTo("30s");

  static final ConfigKey<Integer> FALLBACK_PARTITIONS =
      ConfigKey.integer(PREFIX + "fallback.partitions")
          .doc(
              "With auto, shuffles of fewer partitions are local without a question. 0: none. One"
                  + " local shuffle ties executors to their map outputs, of all shuffles.")
          .between("0", "1000000")
          .defaultsTo("0");

  static final ConfigKey<Optional<String>> APPLICATION_ID =
      ConfigKey.text(PREFIX + "applicationId")
          .doc("Set by the driver, anew at each start: names its data on the servers.")
          .optional();

  static final ConfigKey<Optional<String>> SECRET =
      ConfigKey.text(PREFIX + "secret")
          .doc(
              "Set by the driver, anew at each start, unless spark.authenticate is true: then it is"
                  + " derived from Spark's own. Travels to executors in the clear unless Spark's"
                  + " RPC is encrypted.")
          .secret()
          .optional();

  static final ConfigKey<Boolean> TLS_ENABLED =
      ConfigKey.bool(PREFIX + "tls.enabled")
          .doc(
              "Whether connections to coordinators and servers are encrypted. As"
                  + " security.tls.certificate-file there.")
          .defaultsTo("false");

  static final ConfigKey<Optional<Path>> TLS_TRUST_FILE =
      ConfigKey.path(PREFIX + "tls.trustFile")
          .doc(
              "Authorities in PEM, on the driver's and every executor's machine. Without it, those"
                  + " of the Java runtime.")
          .optional();

  static final ConfigKey<Optional<Path>> TLS_CERTIFICATE_FILE =
      ConfigKey.path(PREFIX + "tls.certificateFile")
          .doc("The process's own certificate in PEM, where security.tls.client-certificates is.")
          .optional();

  static final ConfigKey<Optional<Path>> TLS_KEY_FILE =
      ConfigKey.path(PREFIX + "tls.keyFile")
          .doc("Its private key in PEM: PKCS #8 without a password.")
          .optional();

  static final ConfigKey<Boolean> SECURITY_ENABLED =
      ConfigKey.bool(PREFIX + "security.enabled")
          .doc(
              "Whether to prove to coordinators and servers which application this is. As"
                  + " security.enabled there.")
          .defaultsTo("false");

  /** The section for the reference page. */
  public static final ConfigSection SECTION =
      ConfigSection.of(
              "Spark client",
              "Set in Spark's configuration, beside"
                  + " spark.shuffle.manager=org.apache.spark.shuffle.sluice.SluiceShuffleManager.",
              List.of(
                  COORDINATORS,
                  CODEC,
                  BLOCK_SIZE,
                  WRITE_BUFFER,
                  WRITE_IN_FLIGHT,
                  READ_IN_FLIGHT,
                  TRANSPORT,
                  CONNECTIONS,
                  REPLICAS,
                  PLACEMENT,
                  PLACEMENT_TAGS,
                  PLACEMENT_ZONE,
                  CONNECT_TIMEOUT,
                  SUSPECT_AFTER,
                  RECONNECT_DEADLINE,
                  BLOCK_DEADLINE,
                  COORDINATOR_DEADLINE,
                  FALLBACK,
                  FALLBACK_AFTER,
                  FALLBACK_PARTITIONS,
                  SECURITY_ENABLED,
                  TLS_ENABLED,
                  TLS_TRUST_FILE,
                  TLS_CERTIFICATE_FILE,
                  TLS_KEY_FILE,
                  APPLICATION_ID,
                  SECRET))
          .withChecks(
              ClientChecks.tls(TLS_ENABLED, TLS_TRUST_FILE, TLS_CERTIFICATE_FILE, TLS_KEY_FILE),
              ConfigCheck.over(
                  List.of(FALLBACK, FALLBACK_PARTITIONS),
                  (settings, problems) -> {
                    if (settings.get(FALLBACK_PARTITIONS) > 0
                        && settings.get(FALLBACK) != FallbackPolicy.AUTO) {
                      problems.accept(
                          FALLBACK_PARTITIONS + " is given, and " + FALLBACK + " is not auto");
                    }
                  }));

  private SluiceKeys() {}
}

package io.sluice.coordinator.zookeeper;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ClusterId;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.ServerRecord;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What is written into nodes: {@code name=value&name=value}, form-encoded UTF-8, so that an
 * operator can read it with any ZooKeeper shell. Unknown names are ignored and absent ones have
 * defaults, so that versions can be mixed during an upgrade.
 */
final class RecordText {
  private RecordText() {}

  static byte[] write(ApplicationRecord record) {
    Map<String, String> fields = new HashMap<>();
    fields.put("engineId", record.engineId());
    fields.put("user", record.user());
    fields.put("engine", record.engine());
    fields.put("clientVersion", record.clientVersion());
    fields.put("registeredAtMillis", Long.toString(record.registeredAtMillis()));
    fields.put("returned", Boolean.toString(record.returned()));
    Verifier verifier = record.verifier();
    if (verifier != null) {
      fields.put("verifier", HexFormat.of().formatHex(verifier.encode()));
    }
    if (record.leaseMillis() > 0) {
      fields.put("leaseMillis", Long.toString(record.leaseMillis()));
    }
    PlacementWishes wishes = record.wishes();
    wishes.style().ifPresent(style -> fields.put("placement", style.name()));
    if (!wishes.tags().isEmpty()) {
      fields.put("tags", String.join(",", wishes.tags()));
    }
    if (!wishes.zone().isEmpty()) {
      fields.put("zone", wishes.zone());
    }
    if (wishes.grpc()) {
      fields.put("grpc", "true");
    }
    return encode(fields);
  }

  /**
   * @throws IllegalArgumentException if it is not a record
   */
  static ApplicationRecord readApplication(String node, byte[] data) {
    UUID id = UUID.fromString(node);
    Map<String, String> fields = decode(data);
    String verifier = fields.get("verifier");
    return new ApplicationRecord(
        new ApplicationId(id),
        fields.getOrDefault("engineId", ""),
        fields.getOrDefault("user", ""),
        fields.getOrDefault("engine", ""),
        fields.getOrDefault("clientVersion", ""),
        number(fields, "registeredAtMillis"),
        verifier == null ? null : Verifier.decode(HexFormat.of().parseHex(verifier)),
        number(fields, "leaseMillis"),
        Boolean.parseBoolean(fields.get("returned")),
        wishes(fields));
  }

  private static PlacementWishes wishes(Map<String, String> fields) {
    String style = fields.get("placement");
    String tags = fields.getOrDefault("tags", "");
    return new PlacementWishes(
            // One of a newer version counts as none.
            Arrays.stream(PlacementStyle.values())
                .filter(one -> one.name().equals(style))
                .findFirst(),
            tags.isEmpty() ? List.of() : List.of(tags.split(",")),
            fields.getOrDefault("zone", ""))
        .withGrpc(Boolean.parseBoolean(fields.get("grpc")));
  }

  static byte[] write(ServerRecord record) {
    return encode(
        Map.of(
            "incarnation", Long.toString(record.address().incarnation()),
            "intactSince", Long.toString(record.address().intactSince()),
            "host", record.address().host(),
            "port", Integer.toString(record.address().port()),
            "grpcPort", Integer.toString(record.address().grpcPort()),
            "lostIncarnation", Long.toString(record.lostIncarnation()),
            "stopping", Boolean.toString(record.stopping())));
  }

  /**
   * @throws IllegalArgumentException if it is not a record
   */
  static ServerRecord readServer(String node, byte[] data) {
    UUID id = UUID.fromString(node);
    Map<String, String> fields = decode(data);
    long incarnation = number(fields, "incarnation");
    return new ServerRecord(
        new ServerAddress(
            new ServerId(id),
            incarnation,
            fields.containsKey("intactSince") ? number(fields, "intactSince") : incarnation,
            fields.getOrDefault("host", ""),
            (int) number(fields, "port"),
            (int) number(fields, "grpcPort")),
        number(fields, "lostIncarnation"),
        Boolean.parseBoolean(fields.get("stopping")));
  }

  static byte[] write(ClusterId cluster) {
    return encode(Map.of("id", cluster.toString()));
  }

  /**
   * @throws IllegalArgumentException if it is none
   */
  static ClusterId readCluster(byte[] data) {
    return new ClusterId(UUID.fromString(decode(data).getOrDefault("id", "")));
  }

  static byte[] write(LeaderNote note) {
    return encode(Map.of("term", Long.toString(note.term()), "leader", note.leader()));
  }

  /** An empty node is the note of no term. */
  static LeaderNote readLeader(byte[] data) {
    Map<String, String> fields = decode(data);
    return new LeaderNote(number(fields, "term"), fields.getOrDefault("leader", ""));
  }

  /** Whose term it is. */
  record LeaderNote(long term, String leader) {}

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(fields.getOrDefault(name, "0"));
  }

  static byte[] encode(Map<String, String> fields) {
    return new TreeMap<>(fields)
        .entrySet().stream()
            .map(
                field ->
                    field.getKey()
                        + "="
                        + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"))
            .getBytes(StandardCharsets.UTF_8);
  }

  static Map<String, String> decode(byte[] data) {
    Map<String, String> fields = new HashMap<>();
    for (String field : new String(data, StandardCharsets.UTF_8).split("&")) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields.put(
            field.substring(0, equals),
            URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return fields;
  }
}

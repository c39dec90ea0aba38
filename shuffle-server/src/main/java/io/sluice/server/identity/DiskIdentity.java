package io.sluice.server.identity;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The content of one disk's identity file (docs/storage-format.md, "Identity file").
 *
 * @param disks all disks of the server when this was written
 */
record DiskIdentity(ServerId server, UUID disk, Life life, List<UUID> disks) {
  private static final String FORMAT = "2";

  /** Of servers that did not know yet whether anything was lost. */
  private static final String FORMAT_WITHOUT_SEAL = "1";

  private static final String CRC_KEY = "crc32c=";

  byte[] encode() {
    String lines =
        "format="
            + FORMAT
            + "\nserver="
            + server
            + "\ndisk="
            + disk
            + "\nincarnation="
            + life.incarnation()
            + "\nintact-since="
            + life.intactSince()
            + "\nsealed="
            + life.sealed()
            + "\ndisks="
            + disks.stream().map(UUID::toString).collect(Collectors.joining(","))
            + "\n";
    return (lines + CRC_KEY + crc(lines) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * @param directory for error messages
   * @throws SluiceException DISK_FAILED if it is damaged, INVALID_CONFIGURATION if it is of another
   *     format
   */
  static DiskIdentity decode(byte[] content, String directory) {
    String text = new String(content, StandardCharsets.UTF_8);
    int crcAt = text.lastIndexOf(CRC_KEY);
    if (crcAt < 0
        || !text.substring(crcAt).equals(CRC_KEY + crc(text.substring(0, crcAt)) + "\n")) {
      throw new SluiceException(ErrorCode.DISK_FAILED, file(directory) + " is damaged");
    }
    Map<String, String> values = new HashMap<>();
    text.substring(0, crcAt)
        .lines()
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              values.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
            });
    String format = values.getOrDefault("format", "");
    if (!format.equals(FORMAT) && !format.equals(FORMAT_WITHOUT_SEAL)) {
      throw invalid(directory, "has format " + format + "; this server knows " + FORMAT);
    }
    try {
      return new DiskIdentity(
          new ServerId(UUID.fromString(values.getOrDefault("server", ""))),
          UUID.fromString(values.getOrDefault("disk", "")),
          life(values),
          Stream.of(values.getOrDefault("disks", "").split(",")).map(UUID::fromString).toList());
    } catch (IllegalArgumentException e) {
      throw invalid(directory, "cannot be understood");
    }
  }

  private static Life life(Map<String, String> values) {
    long incarnation = Long.parseLong(values.getOrDefault("incarnation", ""));
    if (!values.containsKey("sealed")) {
      return Life.fresh(incarnation);
    }
    long intactSince = Long.parseLong(values.getOrDefault("intact-since", ""));
    if (intactSince < 1 || intactSince > incarnation) {
      throw new IllegalArgumentException("intact since " + intactSince);
    }
    return new Life(incarnation, intactSince, values.get("sealed").equals("true"));
  }

  long incarnation() {
    return life.incarnation();
  }

  /** The same of a disk that may not have everything any more. */
  DiskIdentity unsealed() {
    return new DiskIdentity(server, disk, life.broken(), disks);
  }

  private static SluiceException invalid(String directory, String what) {
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, file(directory) + " " + what);
  }

  private static String file(String directory) {
    return "identity file of data directory " + directory;
  }

  private static String crc(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}

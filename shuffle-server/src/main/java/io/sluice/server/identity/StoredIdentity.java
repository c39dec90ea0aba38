package io.sluice.server.identity;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of this server as its disks hold it. The disks are borrowed: they stay with their
 * owner and must be open as long as incarnations are taken.
 */
public final class StoredIdentity {
  private static final Logger log = LoggerFactory.getLogger(StoredIdentity.class);
  private static final String FILE = "identity";

  private final ServerId serverId;
  private final Map<UUID, Disk> disks;
  private final Set<UUID> missingDisks;
  private long incarnation;

  private StoredIdentity(
      ServerId serverId, Map<UUID, Disk> disks, Set<UUID> missingDisks, long incarnation) {
    this.serverId = serverId;
    this.disks = disks;
    this.missingDisks = missingDisks;
    this.incarnation = incarnation;
  }

  /**
   * Reads who the disks say this server is, makes a new server of blank ones, and takes a new
   * incarnation, which is synced on every disk at return.
   *
   * @param disks locked, at least one
   * @param uuids where new ids come from
   * @throws SluiceException INVALID_CONFIGURATION if the disks do not belong together, naming them;
   *     DISK_FAILED if one cannot be read or written
   */
  public static StoredIdentity claim(List<? extends Disk> disks, Supplier<UUID> uuids) {
    if (disks.isEmpty()) {
      throw invalid("no data directory is configured");
    }
    Map<Disk, DiskIdentity> known = new LinkedHashMap<>();
    for (Disk disk : disks) {
      DiskIdentity identity = read(disk);
      if (identity != null) {
        known.put(disk, identity);
      }
    }
    ServerId serverId = known.isEmpty() ? new ServerId(uuids.get()) : commonServer(known);
    Map<UUID, Disk> byId = byId(known);
    Set<UUID> missing = missing(known, byId.keySet());
    for (Disk disk : disks) {
      if (!known.containsKey(disk)) {
        log.info("{}: blank, becomes a disk of server {}", disk.name(), serverId);
        byId.put(uuids.get(), disk);
      }
    }
    long last = known.values().stream().mapToLong(DiskIdentity::incarnation).max().orElse(0);
    StoredIdentity identity = new StoredIdentity(serverId, byId, missing, last);
    identity.nextIncarnation();
    return identity;
  }

  private static @Nullable DiskIdentity read(Disk disk) {
    try {
      byte[] content = disk.readSmall(FILE);
      if (content != null) {
        return DiskIdentity.decode(content, disk.name());
      }
      if (disk.holds("segments") || disk.holds("catalog")) {
        throw invalid(
            "data directory "
                + disk.name()
                + " holds shuffle data but no identity file: restore the file or empty the"
                + " directory");
      }
      return null;
    } catch (IOException e) {
      throw failed(disk, "cannot be read", e);
    }
  }

  private static ServerId commonServer(Map<Disk, DiskIdentity> known) {
    Set<ServerId> servers = new LinkedHashSet<>();
    known.values().forEach(identity -> servers.add(identity.server()));
    if (servers.size() > 1) {
      throw invalid(
          "data directories belong to different servers: "
              + known.entrySet().stream()
                  .map(disk -> disk.getKey().name() + " to " + disk.getValue().server())
                  .collect(Collectors.joining(", ")));
    }
    return servers.iterator().next();
  }

  private static Map<UUID, Disk> byId(Map<Disk, DiskIdentity> known) {
    Map<UUID, Disk> byId = new HashMap<>();
    known.forEach(
        (disk, identity) -> {
          Disk twin = byId.put(identity.disk(), disk);
          if (twin != null) {
            throw invalid(
                "data directories "
                    + twin.name()
                    + " and "
                    + disk.name()
                    + " are copies of one disk");
          }
        });
    return byId;
  }

  private static Set<UUID> missing(Map<Disk, DiskIdentity> known, Set<UUID> present) {
    Set<UUID> missing = new TreeSet<>();
    known.values().forEach(identity -> missing.addAll(identity.disks()));
    missing.removeAll(present);
    if (!missing.isEmpty()) {
      log.warn("disks {} of this server are missing: what they hold cannot be read", missing);
    }
    return missing;
  }

  public ServerId serverId() {
    return serverId;
  }

  /** The incarnation taken last. */
  public synchronized long incarnation() {
    return incarnation;
  }

  /** Disks that this server had at its last start and does not have now. */
  public Set<UUID> missingDisks() {
    return Set.copyOf(missingDisks);
  }

  /**
   * Takes a new incarnation, as a server does that was declared lost. Synced on every disk at
   * return; blocks.
   *
   * @throws SluiceException DISK_FAILED if a disk did not take it: the old one stays in use
   */
  public synchronized long nextIncarnation() {
    long next = incarnation + 1;
    List<UUID> all = new ArrayList<>(new TreeSet<>(disks.keySet()));
    for (Map.Entry<UUID, Disk> disk : disks.entrySet()) {
      try {
        disk.getValue()
            .replaceSmall(FILE, new DiskIdentity(serverId, disk.getKey(), next, all).encode());
      } catch (IOException e) {
        throw failed(disk.getValue(), "did not take incarnation " + next, e);
      }
    }
    incarnation = next;
    return next;
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, message);
  }

  private static SluiceException failed(Disk disk, String what, IOException e) {
    return new SluiceException(
        ErrorCode.DISK_FAILED, "data directory " + disk.name() + " " + what, e);
  }
}

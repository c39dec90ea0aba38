package io.sluice.server.identity;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the identity files of a server's disks say, alone and together, and what they must not. */
final class IdentityFiles {
  private static final Logger log = LoggerFactory.getLogger(IdentityFiles.class);
  static final String FILE = "identity";

  /** That a life keeps of those before. */
  static final long NOTHING = Long.MAX_VALUE;

  private IdentityFiles() {}

  /** Since when everything is there if these are all disks; {@link #NOTHING} if that is unknown. */
  static long sealedSince(Map<Disk, DiskIdentity> known) {
    Set<Life> lives = known.values().stream().map(DiskIdentity::life).collect(Collectors.toSet());
    if (lives.size() != 1) {
      return NOTHING;
    }
    Life last = lives.iterator().next();
    return last.sealed() && known.keySet().stream().allMatch(IdentityFiles::hasCatalog)
        ? last.intactSince()
        : NOTHING;
  }

  /** A life that was sealed had one; without it, somebody has emptied the directory since. */
  private static boolean hasCatalog(Disk disk) {
    try {
      if (disk.holds("catalog")) {
        return true;
      }
      log.warn("{}: was sealed, and its catalog is gone since", disk.name());
    } catch (IOException e) {
      log.warn("{}: does not say whether its catalog is there", disk.name(), e);
    }
    return false;
  }

  /**
   * Whether disks are named that are not among these. What cannot be read names nothing.
   *
   * @param disks locked
   */
  static boolean lackDisks(List<? extends Disk> disks) {
    List<DiskIdentity> known = new ArrayList<>();
    for (Disk disk : disks) {
      try {
        byte[] content = disk.readSmall(FILE);
        if (content != null) {
          known.add(DiskIdentity.decode(content, disk.name()));
        }
      } catch (IOException | SluiceException e) {
        log.debug("{}: says nothing of other disks", disk.name(), e);
      }
    }
    Set<UUID> present = known.stream().map(DiskIdentity::disk).collect(Collectors.toSet());
    return !missing(known, present).isEmpty();
  }

  /** Null if the disk is blank. */
  static @Nullable DiskIdentity read(Disk disk) {
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

  static ServerId commonServer(Map<Disk, DiskIdentity> known) {
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

  static Map<UUID, Disk> byId(Map<Disk, DiskIdentity> known) {
    Map<UUID, Disk> byId = new HashMap<>();
    known.forEach(
        (disk, identity) -> {
          Disk twin = byId.put(identity.disk(), disk);
          if (twin != null) {
            throw copies(twin, disk);
          }
        });
    return byId;
  }

  static Set<UUID> missing(Collection<DiskIdentity> known, Set<UUID> present) {
    Set<UUID> missing = new TreeSet<>();
    known.forEach(identity -> missing.addAll(identity.disks()));
    missing.removeAll(present);
    return missing;
  }

  static SluiceException copies(Disk one, Disk other) {
    return invalid(
        "data directories " + one.name() + " and " + other.name() + " are copies of one disk");
  }

  static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, message);
  }

  static SluiceException failed(Disk disk, String what, IOException e) {
    return new SluiceException(
        ErrorCode.DISK_FAILED,
        "data directory " + disk.name() + " " + what + ": " + IoReason.of(e),
        e);
  }
}

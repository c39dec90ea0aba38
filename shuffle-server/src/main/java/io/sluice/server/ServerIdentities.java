package io.sluice.server;

import io.sluice.common.id.ServerId;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.identity.StoredIdentity;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who this server is: as its disks say, or, without disks, somebody new at each start. Thread-safe;
 * reading never blocks.
 */
final class ServerIdentities {
  private final @Nullable StoredIdentity stored;
  private volatile ServerIdentity current;

  private ServerIdentities(@Nullable StoredIdentity stored, ServerIdentity current) {
    this.stored = stored;
    this.current = current;
  }

  /** Takes a new incarnation on all disks. */
  static ServerIdentities claim(List<LocalDisk> disks) {
    if (disks.isEmpty()) {
      return new ServerIdentities(null, new ServerIdentity(new ServerId(UUID.randomUUID()), 1));
    }
    StoredIdentity stored = StoredIdentity.claim(disks, UUID::randomUUID);
    return new ServerIdentities(
        stored, new ServerIdentity(stored.serverId(), stored.incarnation()));
  }

  ServerIdentity current() {
    return current;
  }

  long incarnation() {
    return current.incarnation();
  }

  /** Takes an incarnation above one that counts as lost; waits for the disks. */
  synchronized void rise(long above) {
    while (current.incarnation() <= above) {
      long next = stored == null ? above + 1 : stored.nextIncarnation();
      current = new ServerIdentity(current.id(), next);
    }
  }
}

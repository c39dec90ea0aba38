package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.config.DataDir;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.identity.StoredIdentity;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreLife;
import io.sluice.transport.ServerIdentity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who this server is: as its disks say, or, without disks, somebody new at each start. Thread-safe;
 * reading never blocks.
 */
final class ServerIdentities {
  private static final Logger log = LoggerFactory.getLogger(ServerIdentities.class);

  private final @Nullable StoredIdentity stored;
  private volatile ServerIdentity current;

  private ServerIdentities(@Nullable StoredIdentity stored, ServerIdentity current) {
    this.stored = stored;
    this.current = current;
  }

  /**
   * Takes a new incarnation on all disks that work; the others are dropped.
   *
   * @throws io.sluice.common.error.SluiceException DISK_FAILED if none does
   */
  static ServerIdentities claim(DataDisks disks) {
    if (disks.working().isEmpty()) {
      return new ServerIdentities(null, new ServerIdentity(new ServerId(UUID.randomUUID()), 1));
    }
    StoredIdentity stored =
        StoredIdentity.claim(
            List.copyOf(disks.working().values()), disks.failed().isEmpty(), UUID::randomUUID);
    Map<DataDir, SluiceException> failures = new LinkedHashMap<>();
    disks
        .working()
        .forEach(
            (dir, disk) -> {
              SluiceException failure = stored.failures().get(disk);
              if (failure != null) {
                failures.put(dir, failure);
              }
            });
    disks.drop(failures);
    return new ServerIdentities(stored, of(stored));
  }

  private static ServerIdentity of(StoredIdentity stored) {
    return new ServerIdentity(stored.serverId(), stored.incarnation(), stored.intactSince());
  }

  ServerIdentity current() {
    return current;
  }

  long incarnation() {
    return current.incarnation();
  }

  /** What a store has to know of this life that is opened now. */
  StoreLife life() {
    ServerIdentity now = current;
    // What was sealed is kept. If something turned out to be missing since, all of it is in doubt.
    return new StoreLife(now.incarnation(), now.intactSince() < now.incarnation());
  }

  /**
   * Finds out whether what the disks say is so, before anybody is told.
   *
   * @param stores those that could be opened, and those that could not
   */
  synchronized void settle(List<SegmentStore> stores) {
    if (stored == null || current.intactSince() == current.incarnation()) {
      return;
    }
    boolean whole =
        stores.stream().allMatch(store -> store.health().healthy() && store.lostUnits() == 0);
    if (whole) {
      log.info("nothing is lost since incarnation {}", current.intactSince());
    } else {
      log.warn("the server was stopped in order, but not all it had then is there");
      stored.forgetEarlierLives();
      current = of(stored);
    }
  }

  /**
   * Ends this life for good with everything on the disks; waits for them.
   *
   * @throws SluiceException DISK_FAILED, or INVALID_CONFIGURATION without disks
   */
  synchronized void seal() {
    if (stored == null) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, "there is no data directory");
    }
    stored.seal();
  }

  /**
   * Takes an incarnation above one that counts as lost; waits for the disks.
   *
   * @param usable the names of disks that answer
   * @return whether one was taken; else it is above that already
   */
  synchronized boolean rise(long above, Predicate<String> usable) {
    if (current.incarnation() > above) {
      return false;
    }
    long next =
        stored == null ? above + 1 : stored.riseAbove(above, disk -> usable.test(disk.name()));
    current = new ServerIdentity(current.id(), next);
    return true;
  }

  /** Takes in a disk that did not work at the start; see {@link StoredIdentity#admit}. */
  void admit(LocalDisk disk) {
    Objects.requireNonNull(stored, "a server without disks has none that failed").admit(disk);
  }
}

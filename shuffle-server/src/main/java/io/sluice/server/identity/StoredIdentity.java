package io.sluice.server.identity;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of this server as its disks hold it. The disks are borrowed: they stay with their
 * owner and must be open as long as incarnations are taken.
 *
 * <p><b>Why no incarnation is ever used twice.</b> A disk that was away, or broken, does not know
 * the numbers taken meanwhile, and one day it may be the only one that comes back. So a number is
 * taken in one of two ways, and synced on whatever disks work before its first use:
 *
 * <ul>
 *   <li>The next one, highest + 1, only if every disk that any file names and every directory that
 *       is configured takes it. Whichever of them a later start finds, it has this number or a
 *       higher one.
 *   <li>Else a leap: a number drawn at random from the {@value #LEAP_BITS}-bit range above the
 *       highest. At least one disk takes it; a disk that does not know it can step on it only by
 *       drawing it too, or by drawing within as many below it as it then counts up: once in 2^32
 *       for each number ever taken.
 * </ul>
 *
 * <p>A leap may land below a number that only an absent disk knows. That is harmless: a life that
 * begins with a leap keeps nothing of earlier ones, so handles of those are not taken for its own,
 * and a coordinator that remembers a higher one has the server rise above it ({@link #riseAbove}).
 * A quorum of disks was the alternative: it would need no chance, and would refuse to start a
 * server of two disks of which one is broken, which is when it is needed. 2^31 leaps fit below
 * 2^63.
 *
 * <p><b>What a life keeps of those before.</b> A life that ends with everything on disks is {@link
 * #seal sealed} on each of them. The next one is intact for it, and for all that it was intact for,
 * if it finds every disk of the server sealed by that same life: then no disk is missing, none has
 * taken part in another life since, and nothing was written after the seal. Any doubt makes it a
 * fresh life, which costs recomputation and no rows.
 */
public final class StoredIdentity {
  /** The file on each disk. */
  public static final String FILE = IdentityFiles.FILE;

  private static final Logger log = LoggerFactory.getLogger(StoredIdentity.class);
  private static final int LEAP_BITS = 32;

  private final ServerId serverId;
  private final Map<UUID, Disk> disks;
  private Absent absent;
  private final Supplier<UUID> uuids;
  private final Map<Disk, SluiceException> failures = new LinkedHashMap<>();
  private Life life;
  // That a disk knew which came later; at least the incarnation.
  private long highest;

  /**
   * What may know of higher numbers and cannot be asked.
   *
   * @param disks named by those that can
   * @param directories whether any that is configured cannot be used
   */
  private record Absent(Set<UUID> disks, boolean directories) {
    boolean none() {
      return disks.isEmpty() && !directories;
    }
  }

  private StoredIdentity(
      ServerId serverId,
      Map<UUID, Disk> disks,
      Absent absent,
      Supplier<UUID> uuids,
      long incarnation) {
    this.serverId = serverId;
    this.disks = disks;
    this.absent = absent;
    this.uuids = uuids;
    this.life = Life.fresh(incarnation);
    this.highest = incarnation;
  }

  /** The same for a server all of whose directories could be opened. */
  public static StoredIdentity claim(List<? extends Disk> disks, Supplier<UUID> uuids) {
    return claim(disks, true, uuids);
  }

  /**
   * Reads who the disks say this server is, makes a new server of blank ones, and takes a new
   * incarnation, which is synced on every disk that works at return. Disks that do not are in
   * {@link #failures}.
   *
   * @param disks locked, at least one
   * @param complete whether these are all the directories that are configured
   * @param uuids where new ids come from; random
   * @throws SluiceException INVALID_CONFIGURATION if the disks do not belong together, naming them;
   *     DISK_FAILED if none can be read and written
   */
  public static StoredIdentity claim(
      List<? extends Disk> disks, boolean complete, Supplier<UUID> uuids) {
    if (disks.isEmpty()) {
      throw IdentityFiles.invalid("no data directory is configured");
    }
    Map<Disk, SluiceException> failures = new LinkedHashMap<>();
    Map<Disk, DiskIdentity> known = new LinkedHashMap<>();
    List<Disk> blank = new ArrayList<>();
    for (Disk disk : disks) {
      try {
        DiskIdentity identity = IdentityFiles.read(disk);
        if (identity == null) {
          blank.add(disk);
        } else {
          known.put(disk, identity);
        }
      } catch (SluiceException e) {
        setAside(disk, e, failures);
      }
    }
    if (failures.size() == disks.size()) {
      throw failures.values().iterator().next();
    }
    ServerId serverId =
        known.isEmpty() ? new ServerId(uuids.get()) : IdentityFiles.commonServer(known);
    Map<UUID, Disk> byId = IdentityFiles.byId(known);
    Set<UUID> missing = IdentityFiles.missing(known.values(), byId.keySet());
    if (!missing.isEmpty()) {
      log.warn("disks {} of this server are missing: what they hold cannot be read", missing);
    }
    for (Disk disk : blank) {
      log.info("{}: blank, becomes a disk of server {}", disk.name(), serverId);
      byId.put(uuids.get(), disk);
    }
    long last = known.values().stream().mapToLong(DiskIdentity::incarnation).max().orElse(0);
    Absent absent = new Absent(missing, !complete || !failures.isEmpty());
    StoredIdentity identity = new StoredIdentity(serverId, byId, absent, uuids, last);
    failures.putAll(identity.take(last, IdentityFiles.sealedSince(known), disk -> true));
    identity.goOnWithout(failures);
    return identity;
  }

  private void goOnWithout(Map<Disk, SluiceException> failed) {
    failures.putAll(failed);
    disks.values().removeAll(failed.keySet());
    if (!failed.isEmpty()) {
      absent = new Absent(absent.disks(), true);
    }
  }

  private static void setAside(
      Disk disk, SluiceException failure, Map<Disk, SluiceException> failures) {
    if (failure.code() != ErrorCode.DISK_FAILED) {
      throw failure;
    }
    failures.put(disk, failure);
  }

  /**
   * Whether disks are named that are not among these. What cannot be read names nothing.
   *
   * @param disks locked
   */
  public static boolean lacksDisks(List<? extends Disk> disks) {
    return IdentityFiles.lackDisks(disks);
  }

  public ServerId serverId() {
    return serverId;
  }

  /** The incarnation taken last. */
  public synchronized long incarnation() {
    return life.incarnation();
  }

  /** The earliest incarnation everything of which is still on the disks. */
  public synchronized long intactSince() {
    return life.intactSince();
  }

  /** Disks that this server had at its last start and does not have now. */
  public Set<UUID> missingDisks() {
    return Set.copyOf(absent.disks());
  }

  /** Disks that could not be read, or did not take the incarnation, at the start; and why. */
  public Map<Disk, SluiceException> failures() {
    return Collections.unmodifiableMap(failures);
  }

  /**
   * Takes in a disk that could not be used at the start. One that knows a higher incarnation keeps
   * it, and the next one taken is above that. A blank one joins at a start only: while a server
   * runs, a directory that appears is more likely the place of a disk not mounted yet.
   *
   * @param disk locked
   * @throws SluiceException INVALID_CONFIGURATION if it is blank or belongs to another server,
   *     DISK_FAILED
   */
  public synchronized void admit(Disk disk) {
    DiskIdentity known = IdentityFiles.read(disk);
    if (known == null) {
      throw IdentityFiles.invalid(
          "data directory " + disk.name() + " is blank: it joins at the next start");
    }
    if (!known.server().equals(serverId)) {
      throw IdentityFiles.invalid(
          "data directory "
              + disk.name()
              + " belongs to server "
              + known.server()
              + ", this is server "
              + serverId);
    }
    UUID id = known.disk();
    Disk twin = disks.get(id);
    if (twin != null && !twin.name().equals(disk.name())) {
      throw IdentityFiles.copies(twin, disk);
    }
    disks.put(id, disk);
    if (known.incarnation() > life.incarnation()) {
      highest = Math.max(highest, known.incarnation());
      return;
    }
    SluiceException failure = write(life, List.of(id)).get(disk);
    if (failure != null) {
      disks.remove(id);
      throw failure;
    }
  }

  /** {@link #riseAbove} the present one, on all disks. */
  public long nextIncarnation() {
    return riseAbove(incarnation(), disk -> true);
  }

  /**
   * Takes an incarnation above one that counts as lost, as a server does that was declared so, if
   * it has none yet. Synced at return on every disk that works, at least one; blocks.
   *
   * @param usable disks to try: not those that do not answer
   * @throws SluiceException DISK_FAILED if no disk took it: the old one stays in use
   */
  public synchronized long riseAbove(long lost, Predicate<? super Disk> usable) {
    if (life.incarnation() <= lost) {
      take(lost, IdentityFiles.NOTHING, usable)
          .forEach((disk, why) -> log.warn("{}: goes on without this disk", disk.name(), why));
    }
    return life.incarnation();
  }

  /**
   * Says that something of earlier lives is not there after all, before anybody was told otherwise.
   *
   * @throws SluiceException DISK_FAILED if a disk did not take that
   */
  public synchronized void forgetEarlierLives() {
    writeEverywhere(Life.fresh(life.incarnation()));
  }

  /**
   * Ends this life with everything that it acknowledged on the disks, synced: nothing may be
   * written to them after this. Taking an incarnation breaks the seal.
   *
   * @throws SluiceException DISK_FAILED if a disk is missing or did not take the seal: then the
   *     life is not sealed
   */
  public synchronized void seal() {
    if (!absent.none() || highest > life.incarnation()) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "not every disk of server " + serverId + " has been there");
    }
    writeEverywhere(life.end());
  }

  private void writeEverywhere(Life next) {
    Map<Disk, SluiceException> failed = write(next, List.copyOf(disks.keySet()));
    if (!failed.isEmpty()) {
      throw failed.values().iterator().next();
    }
    life = next;
  }

  /**
   * Takes a number above this one and the present one.
   *
   * @param intactSince what the new life keeps if its number is the next one
   * @return disks that did not take it, fewer than there are
   */
  private synchronized Map<Disk, SluiceException> take(
      long above, long intactSince, Predicate<? super Disk> usable) {
    long last = Math.max(above, highest);
    List<UUID> tried = disks.keySet().stream().filter(id -> usable.test(disk(id))).toList();
    boolean all = absent.none() && tried.size() == disks.size();
    Life next =
        all
            ? new Life(last + 1, Math.min(intactSince, last + 1), false)
            : Life.fresh(leapFrom(last));
    Map<Disk, SluiceException> failed = write(next, tried);
    if (all && !failed.isEmpty()) {
      // Whoever did not take it may come back alone, and would take it for the next one.
      next = Life.fresh(leapFrom(next.incarnation()));
      failed.putAll(
          write(next, tried.stream().filter(id -> !failed.containsKey(disk(id))).toList()));
    }
    if (failed.size() == tried.size()) {
      throw failed.values().stream()
          .findFirst()
          .orElseGet(() -> new SluiceException(ErrorCode.DISK_FAILED, "no data directory answers"));
    }
    life = next;
    highest = next.incarnation();
    return failed;
  }

  private Disk disk(UUID id) {
    return Objects.requireNonNull(disks.get(id));
  }

  private long leapFrom(long last) {
    // The low bits of a random UUID are random.
    long drawn = uuids.get().getLeastSignificantBits() & ((1L << LEAP_BITS) - 1);
    return Math.addExact(last, 1 + drawn);
  }

  private Map<Disk, SluiceException> write(Life next, List<UUID> targets) {
    List<UUID> all = new ArrayList<>(new TreeSet<>(disks.keySet()));
    Map<Disk, SluiceException> failed = new LinkedHashMap<>();
    for (UUID id : targets) {
      Disk disk = disk(id);
      try {
        disk.check();
        disk.replaceSmall(IdentityFiles.FILE, new DiskIdentity(serverId, id, next, all).encode());
      } catch (IOException e) {
        failed.put(disk, IdentityFiles.failed(disk, "did not take " + next, e));
      }
    }
    return failed;
  }
}

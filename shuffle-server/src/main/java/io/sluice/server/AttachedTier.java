package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.segment.AwaitedStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTiers;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The remote tier, once it is there. Thread-safe. */
final class AttachedTier {
  private static final Logger log = LoggerFactory.getLogger(AttachedTier.class);

  private final Supplier<RemoteTierSettings> settings;
  private final List<ServerId> standInFor;
  private volatile @Nullable RemoteTier tier;

  /** Has adopted stores leave room in the tables for what is pushed here. */
  private record Registry(ShuffleRegistry shuffles) implements RemoteTier.Adopter {
    @Override
    public long room() {
      return shuffles.roomToAdopt();
    }

    @Override
    public boolean adopt(SegmentStore store) {
      return shuffles.adoptIfRoom(store);
    }
  }

  /**
   * @param settings at the moment of each try: the incarnation rises
   * @param standInFor dead servers to take over from
   */
  AttachedTier(Supplier<RemoteTierSettings> settings, List<ServerId> standInFor) {
    this.settings = settings;
    this.standInFor = standInFor;
  }

  /**
   * Connects; blocks.
   *
   * @throws SluiceException INVALID_CONFIGURATION, DISK_FAILED
   */
  AwaitedStore.Opened open() {
    RemoteTier opened = RemoteTiers.open(settings.get());
    tier = opened;
    return new AwaitedStore.Opened(opened.store(), opened::close);
  }

  boolean isThere() {
    return tier != null;
  }

  /**
   * What was taken over before, and what is to be taken over now. Whatever fails of that is the
   * operator's to repeat, by a restart, and costs the server nothing else.
   */
  void adoptInto(ShuffleRegistry shuffles) {
    RemoteTier there = there();
    RemoteTier.Adopter adopter = new Registry(shuffles);
    try {
      report(there.openAdopted(adopter));
    } catch (SluiceException e) {
      log.error("cannot look for what was taken over before", e);
    }
    for (ServerId server : standInFor) {
      try {
        report(there.adopt(server, adopter));
      } catch (SluiceException e) {
        report(server, e);
      }
    }
  }

  private static void report(List<RemoteTier.Unopened> unopened) {
    for (RemoteTier.Unopened folder : unopened) {
      log.error("{} was taken over, and is not served", folder.folder(), folder.why());
    }
  }

  private static void report(ServerId server, SluiceException e) {
    switch (e.code()) {
      // As at every further start with the same setting.
      case UNKNOWN_SHUFFLE ->
          log.info("nothing is left to take over from server {}: {}", server, e.detail());
      case DISK_FAILED, NO_DISK_SPACE, NO_MEMORY ->
          log.error("cannot take over from server {}", server, e);
      default -> throw e;
    }
  }

  /**
   * Serves from now on what another server left.
   *
   * @throws SluiceException DISK_FAILED if the tier is not there; else as {@link RemoteTier#adopt},
   *     or why some of it could not be opened: what could be is served
   */
  void standInFor(ServerId dead, ShuffleRegistry shuffles) {
    List<RemoteTier.Unopened> unopened = there().adopt(dead, new Registry(shuffles));
    report(unopened);
    if (!unopened.isEmpty()) {
      throw unopened.get(0).why();
    }
  }

  private RemoteTier there() {
    RemoteTier there = tier;
    if (there == null) {
      throw new SluiceException(ErrorCode.DISK_FAILED, "the remote tier does not answer yet");
    }
    return there;
  }
}

package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.time.Scheduler;
import io.sluice.server.config.DataDir;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.AwaitedStore;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.SpareFolder;
import io.sluice.server.user.UserDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of a server, local disks first. Those that cannot be opened at the start are {@link
 * AwaitedStore awaited}, as long as one local disk works. Confined to the thread that starts the
 * server.
 */
final class ServerStores {
  private static final Logger log = LoggerFactory.getLogger(ServerStores.class);

  private final ServerConfig config;
  private final ServerIdentities identities;
  private final Scheduler timers;
  private final ExecutorService opening;
  private final StopList started;
  private final List<SegmentStore> all = new ArrayList<>();
  private final List<AwaitedStore> awaited = new ArrayList<>();
  private Optional<AttachedTier> remote = Optional.empty();

  /**
   * @param opening where stores are opened that are awaited
   */
  ServerStores(
      ServerConfig config,
      ServerIdentities identities,
      Scheduler timers,
      ExecutorService opening,
      StopList started) {
    this.config = config;
    this.identities = identities;
    this.timers = timers;
    this.opening = opening;
    this.started = started;
  }

  /**
   * Opens the stores of all data directories.
   *
   * @throws SluiceException DISK_FAILED, CORRUPT_CATALOG if there are some and none can be opened
   */
  void openLocal(DataDisks disks) {
    SluiceException first = null;
    for (DataDir dir : config.dataDirs()) {
      LocalDisk disk = disks.working().get(dir);
      SluiceException failure = disks.failed().get(dir);
      if (disk != null) {
        failure = open(dir, disk);
      }
      if (failure != null) {
        first = first == null ? failure : first;
        await(dir, failure);
      }
    }
    if (first != null && awaited.size() == all.size()) {
      throw first;
    }
  }

  /** Returns why it cannot be opened now, or null. */
  private @Nullable SluiceException open(DataDir dir, LocalDisk disk) {
    try {
      all.add(started.add("disk " + disk.name(), openStore(dir, disk)));
      return null;
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FAILED && e.code() != ErrorCode.CORRUPT_CATALOG) {
        throw e;
      }
      return e;
    }
  }

  private LocalSegmentStore openStore(DataDir dir, LocalDisk disk) {
    return LocalSegmentStore.openWatched(
        disk, Tier.of(dir.kind()), MemoryPlan.diskOptions(config, dir), identities.life(), timers);
  }

  private void await(DataDir dir, SluiceException problem) {
    AwaitedStore.Opener opener =
        () -> {
          LocalDisk disk = LocalDisk.openExisting(dir.path());
          try {
            identities.admit(disk);
          } catch (RuntimeException e) {
            disk.close();
            throw e;
          }
          LocalSegmentStore store = openStore(dir, disk);
          return new AwaitedStore.Opened(store, store::close);
        };
    await(
        site(dir.path().toString(), Tier.of(dir.kind()), MemoryPlan.diskOptions(config, dir)),
        problem,
        opener);
  }

  private void await(AwaitedStore.Site site, SluiceException problem, AwaitedStore.Opener opener) {
    AwaitedStore store =
        started.add(
            "awaited " + site.name(), new AwaitedStore(site, problem, opener, timers, opening));
    awaited.add(store);
    all.add(store);
  }

  private static AwaitedStore.Site site(String name, Tier tier, DiskOptions options) {
    return new AwaitedStore.Site(name, tier, options.unitSize(), options.reads().readerSpread());
  }

  /**
   * Attaches the remote tier, if there is one. One that does not answer is awaited, if there are
   * local disks.
   *
   * @throws SluiceException INVALID_CONFIGURATION; DISK_FAILED without local disks
   */
  void openRemote(DataDisks disks, UserDirectory users) {
    config.tiers().remote().ifPresent(storage -> openRemote(storage, disks, users));
  }

  private void openRemote(RemoteStorage storage, DataDisks disks, UserDirectory users) {
    RemoteTierSettings.Surroundings surroundings =
        new RemoteTierSettings.Surroundings(
            disks.working().values().stream()
                .findFirst()
                .map(disk -> new SpareFolder(disk.resolve(""))),
            timers,
            storage.impersonate() ? users::of : Owners.NOBODY);
    RemoteTierSettings.Sizes sizes =
        new RemoteTierSettings.Sizes(
            MemoryPlan.remoteOptions(config), MemoryPlan.adoptedOptions(config));
    AttachedTier tier =
        new AttachedTier(
            () ->
                new RemoteTierSettings(
                    storage,
                    identities.current().id(),
                    identities.incarnation(),
                    sizes,
                    surroundings),
            config.tiers().standInFor());
    remote = Optional.of(tier);
    if (config.dataDirs().isEmpty()) {
      log.warn(
          "no data directory: this server is {} until it ends, and somebody new after that; what it"
              + " then has in {} is served by whoever is told to stand in for it",
          identities.current().id(),
          storage.root());
    }
    try {
      AwaitedStore.Opened opened = tier.open();
      started.add("tier " + storage.root(), () -> opened.owner().run());
      all.add(opened.store());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FAILED || all.isEmpty()) {
        throw e;
      }
      await(site(storage.root(), Tier.HDFS, sizes.own()), e, tier::open);
    }
  }

  /** All of them, the remote tier's last. */
  List<SegmentStore> all() {
    return all;
  }

  Optional<AttachedTier> remote() {
    return remote;
  }

  /** Takes up what the remote tier, if it is there, has of other servers. Before clients come. */
  void adoptInto(ServerCore core) {
    remote.filter(AttachedTier::isThere).ifPresent(tier -> tier.adoptInto(core.shuffles()));
  }

  /**
   * Begins to try the stores that are awaited.
   *
   * @param takenUp called whenever one was opened and what it holds taken up; any thread
   */
  void start(ServerCore core, Runnable takenUp) {
    for (AwaitedStore store : awaited) {
      store.start(
          () -> {
            core.shuffles().adopt(store);
            if (store.tier() == Tier.HDFS) {
              adoptInto(core);
            }
            takenUp.run();
          });
    }
  }
}

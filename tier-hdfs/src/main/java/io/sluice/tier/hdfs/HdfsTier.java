package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreParts;
import io.sluice.server.segment.Tier;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.SpareFolder;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of one server on HDFS: its own, and those that it took over from dead servers. Owns
 * the connection.
 */
final class HdfsTier implements RemoteTier {
  private static final Logger log = LoggerFactory.getLogger(HdfsTier.class);

  /** Of a store besides its readers: writer, chores. */
  private static final int OTHER_CALLS = 2;

  private final HdfsClient client;
  private final RemoteTierSettings settings;
  private final UserConnections users;
  private final FileOwners owners;
  private final FileOwners adoptedOwners;
  private final ServerFolders folders;
  private final SegmentStore store;
  private final List<SegmentStore> adopted = new ArrayList<>();
  // Whether a folder was closed again since the heap has no room for it.
  private boolean outOfMemory;

  private HdfsTier(HdfsClient client, UserConnections users, RemoteTierSettings settings)
      throws IOException {
    this.client = client;
    this.settings = settings;
    this.users = users;
    this.folders =
        new ServerFolders(client, new Path(settings.storage().root()), settings.server());
    folders.makeRoot();
    String name = folders.serverName();
    this.owners = new FileOwners(client, name, users, settings.surroundings().owners());
    // Nothing is made in folders of others.
    this.adoptedOwners = new FileOwners(client, name, users, Owners.NOBODY);
    this.store = openOwn();
  }

  /**
   * Logs in, connects, and opens what this server has written to HDFS.
   *
   * @throws SluiceException INVALID_CONFIGURATION, DISK_FAILED
   */
  static HdfsTier open(RemoteTierSettings settings) {
    Configuration hadoop = HadoopConfiguration.read(settings.storage().configuration());
    HdfsUser user =
        HdfsUser.login(hadoop, settings.storage().login(), settings.storage().proxyUser());
    HdfsCalls calls =
        new HdfsCalls(user, callsMax(settings.sizes()), settings.storage().deadline().toNanos());
    HdfsClient client =
        HdfsClient.open(
            new Path(settings.storage().root()),
            hadoop,
            calls,
            settings.surroundings().scheduler());
    UserConnections users = new UserConnections(client);
    try {
      return new HdfsTier(client, users, settings);
    } catch (IOException e) {
      users.close();
      client.close();
      throw failed("cannot open " + settings.storage().root(), e);
    } catch (SluiceException e) {
      users.close();
      client.close();
      throw e;
    }
  }

  /** As many as all stores can have under way; the own one twice, for calls that were given up. */
  private static int callsMax(RemoteTierSettings.Sizes sizes) {
    return 2 * (sizes.own().readThreads() + OTHER_CALLS)
        + RemoteStorage.ADOPTED_MAX * (sizes.adopted().readThreads() + OTHER_CALLS);
  }

  private SegmentStore openOwn() throws IOException {
    try {
      return openOwn(settings.surroundings().localFolder());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.CORRUPT_CATALOG) {
        throw e;
      }
      log.warn("the catalog of HDFS cannot be understood; unit headers are read instead", e);
      return openOwn(Optional.empty());
    }
  }

  private SegmentStore openOwn(Optional<SpareFolder> localFolder) throws IOException {
    DiskOptions options = settings.sizes().own();
    HdfsDisk disk = openDisk(folders.own(), owners);
    UnitCatalog catalog =
        FolderCatalog.open(
            client,
            folders.own(),
            localFolder,
            path -> RocksUnitCatalog.open(path, options.catalogMemory()),
            SpareCatalog.Patience.USUAL);
    return openStore(disk, folders.own(), catalog, options);
  }

  private SegmentStore openAdopted(Path folder, long tableRoom) throws IOException {
    return openStore(
        openDisk(folder, adoptedOwners),
        folder,
        new AdoptedCatalog(tableRoom),
        settings.sizes().adopted());
  }

  private HdfsDisk openDisk(Path folder, FileOwners whose) throws IOException {
    return HdfsDisk.open(client, whose, folder, (short) settings.storage().replication());
  }

  private SegmentStore openStore(
      HdfsDisk disk, Path folder, UnitCatalog catalog, DiskOptions options) {
    DiskQueue queue =
        new ThreadedDiskQueue("hdfs-" + folder.getName(), options, disk.patienceNanos());
    return LocalSegmentStore.openWatched(
        new StoreParts(disk, catalog, queue, Tier.HDFS),
        options,
        settings.incarnation(),
        settings.surroundings().scheduler(),
        new SplittableRandom(new SecureRandom().nextLong()));
  }

  private static SluiceException failed(String what, IOException e) {
    return new SluiceException(ErrorCode.DISK_FAILED, "HDFS: " + what, e);
  }

  @Override
  public SegmentStore store() {
    return store;
  }

  @Override
  public synchronized List<Unopened> openAdopted(Adopter adopter) {
    try {
      return open(folders.adopted(), adopter);
    } catch (IOException e) {
      throw failed("cannot list what was taken over", e);
    }
  }

  @Override
  public synchronized List<Unopened> adopt(ServerId dead, Adopter adopter) {
    if (dead.equals(settings.server())) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "a server cannot adopt itself");
    }
    List<Path> taken;
    try {
      requireRoom(dead, folders.toTakeOver(dead));
      taken = folders.takeOver(dead);
    } catch (IOException e) {
      // What was renamed stays ours, and is opened at the next start.
      throw failed("cannot take over from server " + dead, e);
    }
    log.info("taken over from server {}: {}", dead, taken);
    return open(taken, adopter);
  }

  /** One that cannot be opened costs the others nothing. */
  private List<Unopened> open(List<Path> taken, Adopter adopter) {
    List<Unopened> unopened = new ArrayList<>();
    for (Path folder : taken) {
      try {
        open(folder, adopter);
      } catch (IOException e) {
        unopened.add(new Unopened(folder.toString(), failed("cannot open " + folder, e)));
      } catch (SluiceException e) {
        outOfMemory |= e.code() == ErrorCode.NO_MEMORY;
        unopened.add(new Unopened(folder.toString(), e));
      }
    }
    return unopened;
  }

  private void open(Path folder, Adopter adopter) throws IOException {
    if (adopted.size() >= RemoteStorage.ADOPTED_MAX) {
      throw new SluiceException(
          ErrorCode.NO_DISK_SPACE,
          RemoteStorage.ADOPTED_MAX
              + " folders of others are served here: hand it to another server");
    }
    long room = adopter.room();
    SegmentStore opened = openAdopted(folder, room);
    boolean taken = false;
    try {
      taken = adopter.adopt(opened);
    } finally {
      if (!taken) {
        opened.close();
      }
    }
    if (!taken) {
      throw AdoptedCatalog.tooMany(room);
    }
    adopted.add(opened);
  }

  /** Before anything is taken, so that another server can take it. */
  private void requireRoom(ServerId dead, int more) {
    if (more == 0) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, "it has no folder, or somebody else has taken it over");
    }
    if (outOfMemory) {
      throw new SluiceException(
          ErrorCode.NO_MEMORY,
          "the heap has no room for what was taken over before: name another its stand-in");
    }
    if (adopted.size() + more > RemoteStorage.ADOPTED_MAX) {
      throw new SluiceException(
          ErrorCode.NO_DISK_SPACE,
          "server "
              + dead
              + " has "
              + more
              + " folders and this one has taken over "
              + adopted.size()
              + " of at most "
              + RemoteStorage.ADOPTED_MAX
              + ": name another its stand-in");
    }
  }

  @Override
  public synchronized void close() {
    adopted.forEach(SegmentStore::close);
    store.close();
    users.close();
    client.close();
  }
}

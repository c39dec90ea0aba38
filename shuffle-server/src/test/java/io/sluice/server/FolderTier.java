package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreLife;
import io.sluice.server.segment.Tier;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A remote tier in a folder of this machine: it does not answer while the folder is away. */
public final class FolderTier implements RemoteTier {
  static final String SCHEME = "folder";

  /**
   * A file of this name in the folder says that there is no room to take anybody over, nor for what
   * was taken over before.
   */
  static final String FULL = "full";

  private final Path folder;
  private final SegmentStore store;

  private FolderTier(Path folder, SegmentStore store) {
    this.folder = folder;
    this.store = store;
  }

  @Override
  public SegmentStore store() {
    return store;
  }

  @Override
  public List<Unopened> openAdopted(Adopter adopter) {
    return Files.exists(folder.resolve(FULL))
        ? List.of(
            new Unopened(
                "one of them", new SluiceException(ErrorCode.NO_MEMORY, "it has too many extents")))
        : List.of();
  }

  @Override
  public List<Unopened> adopt(ServerId dead, Adopter adopter) {
    if (Files.exists(folder.resolve(FULL))) {
      throw new SluiceException(ErrorCode.NO_DISK_SPACE, "as many as there may be are here");
    }
    throw new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "nobody has left anything here");
  }

  @Override
  public void close() {
    store.close();
  }

  /** For {@link java.util.ServiceLoader}. */
  public static final class Provider implements RemoteTier.Provider {
    /** For {@link java.util.ServiceLoader}. */
    public Provider() {}

    @Override
    public String scheme() {
      return SCHEME;
    }

    @Override
    public RemoteTier open(RemoteTierSettings settings) {
      Path folder = Path.of(URI.create(settings.storage().root()).getPath());
      return new FolderTier(
          folder,
          LocalSegmentStore.openWatched(
              LocalDisk.openExisting(folder),
              Tier.HDFS,
              settings.sizes().own(),
              StoreLife.of(settings.incarnation()),
              settings.surroundings().scheduler()));
    }
  }
}

package io.sluice.server.tier;

import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import java.util.Optional;

/**
 * What a remote tier is opened with.
 *
 * @param storage as configured
 * @param incarnation of this server, new and synced on its disks
 * @param sizes of its stores
 */
public record RemoteTierSettings(
    RemoteStorage storage,
    ServerId server,
    long incarnation,
    Sizes sizes,
    Surroundings surroundings) {

  /**
   * What a tier is given of the server around it.
   *
   * @param localFolder on a disk of this server, for what makes starts fast; empty without disks.
   *     The same for each try to open the tier
   * @param scheduler for waits
   * @param owners of new segments
   */
  public record Surroundings(
      Optional<SpareFolder> localFolder, Scheduler scheduler, Owners owners) {}

  /**
   * How stores are used, which bounds their memory.
   *
   * @param own of this server's own store
   * @param adopted of each store taken over, of which there are {@link RemoteStorage#ADOPTED_MAX}
   *     at most, and which are only read
   */
  public record Sizes(DiskOptions own, DiskOptions adopted) {}
}

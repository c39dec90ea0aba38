package io.sluice.server.tier;

import io.sluice.common.id.ServerId;
import io.sluice.server.segment.SegmentStore;
import java.util.List;

/**
 * The last tier, on a file system that other servers reach too. Owns its stores; thread-safe.
 * Methods that return stores block while the file system answers, for minutes at worst, and throw a
 * {@link io.sluice.common.error.SluiceException}: DISK_FAILED if it does not.
 */
public interface RemoteTier extends AutoCloseable {
  /** Where this server's own units go, and what it finds there of earlier incarnations. */
  SegmentStore store();

  /** What this server has taken over from others before it was started, to be read and removed. */
  List<SegmentStore> adopted();

  /**
   * Takes over what another server wrote, so that its extents can be read here. Afterwards the
   * other can write no more, even if it lives and believes it owns its files: whatever it wrote and
   * told anybody about is in the stores returned, what it has open is closed, and new segments are
   * refused to it.
   *
   * @return stores that nobody writes to: what it wrote, and what it had taken over itself
   * @throws io.sluice.common.error.SluiceException UNKNOWN_SHUFFLE if that server has nothing here
   *     or somebody else took it; INVALID_ARGUMENT if it is this server; NO_DISK_SPACE if this one
   *     would have more than it can: nothing is taken over then
   */
  List<SegmentStore> adopt(ServerId dead);

  /** Closes all stores, then the connection. */
  @Override
  void close();

  /** How a module offers a tier; found by {@link java.util.ServiceLoader}. */
  interface Provider {
    /** The scheme of the addresses it understands, such as {@code hdfs}. */
    String scheme();

    /**
     * Connects and opens this server's store.
     *
     * @throws io.sluice.common.error.SluiceException INVALID_CONFIGURATION, DISK_FAILED
     */
    RemoteTier open(RemoteTierSettings settings);
  }
}

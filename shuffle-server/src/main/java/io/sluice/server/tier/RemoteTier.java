package io.sluice.server.tier;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.segment.SegmentStore;
import java.util.List;

/**
 * The last tier, on a file system that other servers reach too. Owns its stores; thread-safe.
 * Methods that open stores block while the file system answers, for minutes at worst, and throw a
 * {@link SluiceException}: DISK_FAILED if it does not.
 */
public interface RemoteTier extends AutoCloseable {
  /** Where this server's own units go, and what it finds there of earlier incarnations. */
  SegmentStore store();

  /**
   * Opens what this server has taken over from others before it was started. Once, before {@link
   * #adopt}.
   *
   * @param adopter given one store after another, which stay the tier's
   * @return what could not be opened; the others are
   */
  List<Unopened> openAdopted(Adopter adopter);

  /**
   * Takes over what another server wrote, so that its extents can be read here. Afterwards the
   * other can write no more, even if it lives and believes it owns its files: whatever it wrote and
   * told anybody about is in the stores that come of it, what it has open is closed, and new
   * segments are refused to it.
   *
   * @param adopter given stores that nobody writes to, one after another, which stay the tier's:
   *     what the other wrote, and what it had taken over itself
   * @return what was taken over and could not be opened; the others are
   * @throws SluiceException UNKNOWN_SHUFFLE if that server has nothing here or somebody else took
   *     it; INVALID_ARGUMENT if it is this server; NO_DISK_SPACE if this one would have more than
   *     it can, NO_MEMORY if it has no room for what it has: nothing is taken over then
   */
  List<Unopened> adopt(ServerId dead, Adopter adopter);

  /** Who serves what a tier opens of other servers. */
  interface Adopter {
    /** Bytes of heap that the tables of one more store may take. */
    long room();

    /**
     * Takes up what a store holds, to be read and removed from now on.
     *
     * @return false if it takes more than the room there is: nothing of it is taken up, and the
     *     tier closes it
     */
    boolean adopt(SegmentStore store);
  }

  /**
   * A folder of another server, which is this one's now and stays closed until its next start.
   *
   * @param folder for people
   * @param why DISK_FAILED; NO_DISK_SPACE if it is one more than there may be; NO_MEMORY if there
   *     is no room for its tables
   */
  record Unopened(String folder, SluiceException why) {}

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
     * @throws SluiceException INVALID_CONFIGURATION, DISK_FAILED
     */
    RemoteTier open(RemoteTierSettings settings);
  }
}

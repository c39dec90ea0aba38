package io.sluice.tier.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Which catalog goes with a server's folder: the one with the stamp that the folder bears. Blocks
 * as the namenode does, each call up to its deadline. Thread-safe, but for several that write one.
 *
 * <pre>
 * ROOT/SERVER/catalog/STAMP/  empty
 * </pre>
 *
 * <p>A folder and no file, so it takes the namenode alone, at once and wholly: no datanode that is
 * away, no lease that a dead process has left.
 */
final class CatalogStamp {
  private static final String FOLDER = "catalog";

  private final HdfsClient client;
  private final Path within;

  /**
   * @param folder the server's
   */
  CatalogStamp(HdfsClient client, Path folder) {
    this.client = client;
    this.within = new Path(folder, FOLDER);
  }

  /** The stamp, if there is one that can be understood. */
  Optional<UUID> read() throws IOException {
    FileStatus[] found;
    try {
      found = client.calls().call("list " + within, () -> client.files().listStatus(within));
    } catch (FileNotFoundException none) {
      return Optional.empty();
    }
    return found.length == 1 ? parse(found[0].getPath().getName()) : Optional.empty();
  }

  private static Optional<UUID> parse(String name) {
    try {
      return Optional.of(UUID.fromString(name));
    } catch (IllegalArgumentException somethingElse) {
      return Optional.empty();
    }
  }

  /** Replaces the stamp. Whoever dies in between leaves none. */
  void write(UUID stamp) throws IOException {
    remove();
    Path path = new Path(within, stamp.toString());
    client.calls().call("make " + path, () -> client.files().mkdirs(path, HdfsFolder.PRIVATE));
  }

  /** From here on no catalog goes with the folder. */
  void remove() throws IOException {
    client.calls().call("delete " + within, () -> client.files().delete(within, true));
  }
}

package io.sluice.tier.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;

/**
 * One folder of a server as it was opened.
 *
 * <p>Where segments belong to users, {@code segments} lets everybody who comes that far make files,
 * and nobody but their owners and the server list or delete them; {@code docs/tiers.md} says why.
 *
 * @param inode which a rename takes along
 * @param shared whether there are, or will be, files that are not the server's
 */
record HdfsFolder(long inode, boolean shared) {
  private static final String SEGMENTS = "segments";

  /** What the disk is tried with when it was fenced. */
  static final String PROBE = "probe";

  static final FsPermission PRIVATE = new FsPermission((short) 0700);

  /** To be passed through to names that are known. */
  static final FsPermission PASSABLE = new FsPermission((short) 0711);

  /** The sticky bit keeps users from deleting each other's files. */
  private static final FsPermission SHARED = new FsPermission((short) 01733);

  /**
   * Makes the folder if it is not there, and closes every file in it that a dead writer left open:
   * their lengths can be relied on only then.
   *
   * @throws IOException if HDFS does not answer, or a file is not closed in time
   */
  static HdfsFolder open(HdfsClient client, Path folder, FileOwners owners) throws IOException {
    Path segments = new Path(folder, SEGMENTS);
    make(client, new Path(folder, PROBE), PRIVATE);
    make(client, segments, PRIVATE);
    permit(client, folder, PASSABLE);
    Found found = find(client, segments, owners.serverName());
    boolean shared = owners.impersonates() || found.foreign();
    permit(client, segments, shared ? SHARED : PRIVATE);
    for (Map.Entry<String, List<Path>> open : found.openByOwner().entrySet()) {
      try (FileAccess access = owners.toUse(open.getKey())) {
        new FileLeases(access.client()).take(open.getValue());
      }
    }
    return new HdfsFolder(inode(client, folder), shared);
  }

  /**
   * What lies in a folder.
   *
   * @param openByOwner files that somebody writes, or wrote when he died
   * @param foreign whether any file is not the server's
   */
  private record Found(Map<String, List<Path>> openByOwner, boolean foreign) {}

  private static void make(HdfsClient client, Path path, FsPermission permission)
      throws IOException {
    client.calls().call("make " + path, () -> client.files().mkdirs(path, permission));
  }

  /** Not when it is made, because a umask would take bits away. */
  static void permit(HdfsClient client, Path path, FsPermission permission) throws IOException {
    client
        .calls()
        .call(
            "set permission of " + path,
            () -> {
              client.files().setPermission(path, permission);
              return true;
            });
  }

  private static Found find(HdfsClient client, Path within, String server) throws IOException {
    return client
        .calls()
        .call(
            "list " + within,
            () -> {
              Map<String, List<Path>> open = new LinkedHashMap<>();
              boolean foreign = false;
              RemoteIterator<LocatedFileStatus> entries = client.files().listLocatedStatus(within);
              while (entries.hasNext()) {
                LocatedFileStatus entry = entries.next();
                foreign |= !entry.getOwner().equals(server);
                if (!isClosed(client, entry)) {
                  open.computeIfAbsent(entry.getOwner(), owner -> new ArrayList<>())
                      .add(entry.getPath());
                }
              }
              return new Found(open, foreign);
            });
  }

  private static boolean isClosed(HdfsClient client, LocatedFileStatus entry) throws IOException {
    return entry instanceof HdfsLocatedFileStatus located
        ? !located.getLocatedBlocks().isUnderConstruction()
        : client.leases().isFileClosed(entry.getPath());
  }

  /** Which folder has this name now. */
  static long inode(HdfsClient client, Path folder) throws IOException {
    FileStatus status =
        client.calls().call("look at " + folder, () -> client.files().getFileStatus(folder));
    return status instanceof HdfsFileStatus known ? known.getFileId() : 0;
  }
}

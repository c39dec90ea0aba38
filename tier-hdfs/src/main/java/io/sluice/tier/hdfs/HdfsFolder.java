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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One folder of a server as it was opened.
 *
 * <p>Nothing in {@code segments} is trusted: {@link Admission#MAKERS} lets everybody who comes that
 * far make files there; {@code docs/tiers.md} says why.
 *
 * @param inode which a rename takes along
 * @param admission who comes as far as the segments
 */
record HdfsFolder(long inode, Admission admission) {
  private static final Logger log = LoggerFactory.getLogger(HdfsFolder.class);

  static final String SEGMENTS = "segments";

  /** What the disk is tried with when it was fenced. */
  static final String PROBE = "probe";

  static final FsPermission PRIVATE = new FsPermission((short) 0700);

  /** To be passed through to names that are known. */
  static final FsPermission PASSABLE = new FsPermission((short) 0711);

  /** Whom {@code segments} lets in besides the server, who alone may list it. */
  enum Admission {
    /** All files are the server's. */
    NOBODY(0700),
    /** Users come to files that are there, and make and delete none. */
    OWNERS(0711),
    /** Users make files; the sticky bit keeps them from deleting each other's. */
    MAKERS(01733);

    private final int mode;

    Admission(int mode) {
      this.mode = mode;
    }

    FsPermission permission() {
      return new FsPermission((short) mode);
    }
  }

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
    Found found = find(client, segments, owners);
    Admission admission = admission(owners, found);
    permit(client, segments, admission.permission());
    for (Map.Entry<String, List<Path>> open : found.openByOwner().entrySet()) {
      close(owners, open.getKey(), open.getValue());
    }
    return new HdfsFolder(inode(client, folder), admission);
  }

  private static Admission admission(FileOwners owners, Found found) {
    if (owners.impersonates()) {
      return Admission.MAKERS;
    }
    return found.foreign() ? Admission.OWNERS : Admission.NOBODY;
  }

  /** Leaves open what HDFS does not let the server close: it cannot be read either. */
  private static void close(FileOwners owners, String owner, List<Path> open) throws IOException {
    List<Path> refused;
    try (FileAccess access = owners.toUse(owner)) {
      refused = new FileLeases(access.client()).takePermitted(open);
    } catch (IOException e) {
      if (!FileOwners.isRefusal(e)) {
        throw e;
      }
      refused = open;
    }
    if (!refused.isEmpty()) {
      log.warn(
          "HDFS: {} files of user {} stay open, as the server may not act for their owner: {}, ...",
          refused.size(),
          FileOwners.shown(owner),
          refused.get(0));
    }
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

  private static Found find(HdfsClient client, Path within, FileOwners owners) throws IOException {
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
                if (!entry.isFile()) {
                  continue; // not ours: we make no folders here
                }
                foreign |= owners.isForeign(entry);
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

package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;

/**
 * A folder on HDFS as one more disk. Thread-safe; every method that asks HDFS blocks, up to the
 * deadline of a call, except {@link #capacity} and {@link #free}.
 *
 * <p>There is no lock. The folder is named after a server, whose local disks are locked, and a
 * stand-in takes it away by renaming it: so files are only ever created in a folder that exists
 * ({@code createNonRecursive}), and a server that lost its folder cannot make it anew by writing.
 */
final class HdfsDisk implements Disk {
  private static final FsPermission OWNERS_ONLY = new FsPermission((short) 0600);

  /** What the namenode says of names of files that somebody has open, and the client passes on. */
  private static final Set<String> TAKEN =
      Set.of(
          "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
          "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException");

  private static final int BUFFER = 4096;

  private final HdfsClient client;
  private final FileOwners owners;
  private final Path folder;
  private final Facts facts;
  private final HdfsSpace space;
  private final AtomicInteger openFiles = new AtomicInteger();

  private HdfsDisk(
      HdfsClient client, FileOwners owners, Path folder, Facts facts, HdfsSpace space) {
    this.client = client;
    this.owners = owners;
    this.folder = folder;
    this.facts = facts;
    this.space = space;
  }

  /** What does not change. */
  private record Facts(short replication, HdfsFolder opened) {}

  /**
   * Opens a folder, with everything in it closed that a dead writer left open.
   *
   * @param client borrowed, closed after this disk
   * @param owners borrowed likewise
   * @param folder made if it is not there
   * @throws IOException if HDFS does not answer, or a file is not closed in time
   */
  static HdfsDisk open(HdfsClient client, FileOwners owners, Path folder, short replication)
      throws IOException {
    HdfsFolder opened = HdfsFolder.open(client, folder, owners);
    return new HdfsDisk(
        client,
        owners,
        folder,
        new Facts(replication, opened),
        new HdfsSpace(client, folder, replication));
  }

  /**
   * Whether nobody has taken the folder over: one call to the namenode, 1 ms beside a unit's 35.
   */
  @Override
  public void check() throws IOException {
    try {
      if (HdfsFolder.inode(client, folder) == facts.opened().inode()) {
        return;
      }
    } catch (FileNotFoundException e) {
      throw missing(folder, e);
    }
    throw new IOException(folder + " is not the folder any more that was opened");
  }

  /**
   * Longer than the deadline of a call, so that calls which HDFS does not answer fail by it, each
   * alone, before everything on HDFS counts as lost.
   */
  @Override
  public long patienceNanos() {
    return client.calls().deadlineNanos() + Disk.super.patienceNanos();
  }

  private <T> T ask(String what, Callable<T> call) throws IOException {
    return client.calls().call(what, call);
  }

  private Path path(String file) {
    return new Path(folder, file);
  }

  @Override
  public String name() {
    return folder.toString();
  }

  @Override
  public DiskFile create(String file) throws IOException {
    Path path = path(file);
    String user = owners.ofNew(folderOf(file), path.getName());
    if (user != null) {
      try {
        return create(owners.toUse(user), path);
      } catch (IOException e) {
        if (!FileOwners.isRefusal(e)) {
          throw e;
        }
        // One user whom HDFS does not admit must not cost the tier.
        owners.tellRefused(user, String.valueOf(e.getMessage()));
      }
    }
    return create(FileAccess.over(client), path);
  }

  private static String folderOf(String file) {
    return file.substring(0, Math.max(0, file.lastIndexOf('/')));
  }

  /**
   * @param access closed with the file, also if that cannot be made
   */
  private DiskFile create(FileAccess access, Path path) throws IOException {
    try {
      access
          .client()
          .calls()
          .call(
              "create " + path,
              () -> {
                // Completed at once, and appended to from then on: two calls more a segment.
                createOutput(access.client(), path, EnumSet.of(CreateFlag.CREATE)).close();
                return true;
              });
    } catch (IOException e) {
      access.close();
      throw isTaken(e) ? exists(path, e) : e;
    }
    return counted(new HdfsWriteFile(access.client(), space, path, 0), access);
  }

  /** Whether a name is another's: a file's, open or not or just being closed, or a folder's. */
  private static boolean isTaken(IOException failure) {
    return failure instanceof org.apache.hadoop.fs.FileAlreadyExistsException
        || (failure instanceof RemoteException remote && TAKEN.contains(remote.getClassName()));
  }

  private FSDataOutputStream createOutput(HdfsClient by, Path path, EnumSet<CreateFlag> flags)
      throws IOException {
    return by.files()
        .createNonRecursive(
            path,
            mayBeForeign() ? OWNERS_ONLY : FsPermission.getFileDefault(),
            flags,
            BUFFER,
            facts.replication(),
            by.files().getDefaultBlockSize(path),
            null);
  }

  private boolean mayBeForeign() {
    return facts.opened().admission() != HdfsFolder.Admission.NOBODY;
  }

  @Override
  public DiskFile openForWrite(String file) throws IOException {
    Path path = path(file);
    FileStatus status = status(path);
    FileAccess access = toUse(path, status);
    return counted(new HdfsWriteFile(access.client(), space, path, status.getLen()), access);
  }

  /** What HDFS has taken is on other machines: this one may lose power. */
  @Override
  public void force(String file) {}

  @Override
  public DiskFile openForRead(String file) throws IOException {
    Path path = path(file);
    FileAccess access = mayBeForeign() ? toUse(path, status(path)) : FileAccess.over(client);
    try {
      return counted(new HdfsReadFile(access.client(), path), access);
    } catch (FileNotFoundException e) {
      access.close();
      throw missing(path, e);
    } catch (IOException e) {
      access.close();
      throw FileOwners.refusedOr(e, path);
    }
  }

  private FileAccess toUse(Path path, FileStatus status) throws IOException {
    try {
      return owners.toUse(status.getOwner());
    } catch (IOException e) {
      throw FileOwners.refusedOr(e, path);
    }
  }

  @Override
  public DiskFile openForAlignedRead(String file) throws IOException {
    return openForRead(file);
  }

  private DiskFile counted(DiskFile file, FileAccess access) {
    openFiles.incrementAndGet();
    return new CountedFile(file, openFiles, access);
  }

  private FileStatus status(Path path) throws IOException {
    try {
      return ask("look at " + path, () -> client.files().getFileStatus(path));
    } catch (FileNotFoundException e) {
      throw missing(path, e);
    }
  }

  private static NoSuchFileException missing(Path path, FileNotFoundException cause) {
    NoSuchFileException missing = new NoSuchFileException(path.toString());
    missing.initCause(cause);
    return missing;
  }

  private static FileAlreadyExistsException exists(Path path, IOException cause) {
    FileAlreadyExistsException exists = new FileAlreadyExistsException(path.toString());
    exists.initCause(cause);
    return exists;
  }

  @Override
  public boolean bypassesPageCache() {
    return false;
  }

  @Override
  public List<FileEntry> list(String within) throws IOException {
    Path path = path(within);
    try {
      return ask(
          "list " + path,
          () -> {
            List<FileEntry> entries = new ArrayList<>();
            RemoteIterator<FileStatus> found = client.files().listStatusIterator(path);
            while (found.hasNext()) {
              FileStatus entry = found.next();
              if (entry.isFile()) {
                entries.add(new FileEntry(entry.getPath().getName(), entry.getLen()));
              }
            }
            return entries;
          });
    } catch (FileNotFoundException noFolder) {
      return List.of();
    }
  }

  @Override
  public boolean holds(String name) throws IOException {
    Path path = path(name);
    try {
      return ask(
          "look into " + path,
          () -> {
            FileStatus status = client.files().getFileStatus(path);
            return status.isFile() || client.files().listStatusIterator(path).hasNext();
          });
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  @Override
  public void delete(String file) throws IOException {
    Path path = path(file);
    if (facts.opened().admission() != HdfsFolder.Admission.MAKERS) {
      // Users may not delete here, whatever is theirs.
      delete(client, path);
      return;
    }
    try (FileAccess access = owners.toUse(status(path).getOwner())) {
      delete(access.client(), path);
    } catch (NoSuchFileException gone) {
      // As wanted.
    } catch (IOException e) {
      if (!FileOwners.isRefusal(e)) {
        throw e;
      }
      // The folder is the server's, who may delete in it whatever its owner may not any more.
      delete(client, path);
    }
  }

  private static void delete(HdfsClient by, Path path) throws IOException {
    by.calls().call("delete " + path, () -> by.files().delete(path, false));
  }

  @Override
  public byte @Nullable [] readSmall(String file) throws IOException {
    Path path = path(file);
    try {
      return ask(
          "read " + path,
          () -> {
            try (FSDataInputStream input = client.files().open(path)) {
              byte[] content = input.readNBytes(SMALL_MAX + 1);
              if (content.length > SMALL_MAX) {
                throw new IOException(path + " has more than " + SMALL_MAX + " bytes");
              }
              return content;
            }
          });
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  @Override
  public void replaceSmall(String file, byte[] content) throws IOException {
    Path path = path(file);
    Path next = path.suffix(".tmp");
    ask(
        "replace " + path,
        () -> {
          try (FSDataOutputStream out =
              createOutput(client, next, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
            out.write(content);
            out.hsync();
          }
          FileContext.getFileContext(folder.toUri(), client.files().getConf())
              .rename(next, path, Options.Rename.OVERWRITE);
          return true;
        });
  }

  @Override
  public long capacity() throws IOException {
    return space.capacity();
  }

  @Override
  public long free() throws IOException {
    return space.free();
  }

  @Override
  public int openFiles() {
    return openFiles.get();
  }

  /** Nothing to release: see the class comment. */
  @Override
  public void close() {}
}

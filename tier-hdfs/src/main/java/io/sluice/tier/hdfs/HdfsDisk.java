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
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
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
  /** Made at open and never again: segments, and what the disk is tried with when it was fenced. */
  private static final List<String> FOLDERS = List.of("segments", "probe");

  private static final FsPermission PRIVATE = new FsPermission((short) 0700);
  private static final int BUFFER = 4096;
  private static final int SMALL_MAX = 1 << 20;

  private final HdfsClient client;
  private final Path folder;
  private final Facts facts;
  private final HdfsSpace space;
  private final AtomicInteger openFiles = new AtomicInteger();

  private HdfsDisk(HdfsClient client, Path folder, Facts facts, HdfsSpace space) {
    this.client = client;
    this.folder = folder;
    this.facts = facts;
    this.space = space;
  }

  /**
   * What does not change.
   *
   * @param inode of the folder, which a rename takes along
   */
  private record Facts(short replication, long inode) {}

  /**
   * Opens a folder, and closes every file in it that a dead writer left open: their lengths can be
   * relied on only then.
   *
   * @param client borrowed, closed after this disk
   * @param folder made if it is not there
   * @throws IOException if HDFS does not answer, or a file is not closed in time
   */
  static HdfsDisk open(HdfsClient client, Path folder, short replication) throws IOException {
    for (String within : FOLDERS) {
      Path path = new Path(folder, within);
      client.calls().call("make " + path, () -> client.files().mkdirs(path, PRIVATE));
    }
    HdfsSpace space = new HdfsSpace(client, folder, replication);
    HdfsDisk disk =
        new HdfsDisk(client, folder, new Facts(replication, inode(client, folder)), space);
    new FileLeases(client).take(disk.filesUnderConstruction(disk.path(FOLDERS.get(0))));
    return disk;
  }

  private static long inode(HdfsClient client, Path folder) throws IOException {
    FileStatus status =
        client.calls().call("look at " + folder, () -> client.files().getFileStatus(folder));
    return status instanceof HdfsFileStatus known ? known.getFileId() : 0;
  }

  /**
   * Whether nobody has taken the folder over: one call to the namenode, 1 ms beside a unit's 35.
   */
  @Override
  public void check() throws IOException {
    try {
      if (inode(client, folder) == facts.inode()) {
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

  private List<Path> filesUnderConstruction(Path within) throws IOException {
    return ask(
        "list " + within,
        () -> {
          List<Path> open = new ArrayList<>();
          RemoteIterator<LocatedFileStatus> entries = client.files().listLocatedStatus(within);
          while (entries.hasNext()) {
            LocatedFileStatus entry = entries.next();
            boolean closed =
                entry instanceof HdfsLocatedFileStatus located
                    ? !located.getLocatedBlocks().isUnderConstruction()
                    : client.leases().isFileClosed(entry.getPath());
            if (!closed) {
              open.add(entry.getPath());
            }
          }
          return open;
        });
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
    try {
      ask(
          "create " + path,
          () -> {
            // Completed at once, and appended to from then on: two calls more for each segment.
            createOutput(path, EnumSet.of(CreateFlag.CREATE)).close();
            return true;
          });
    } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
      throw exists(path, e);
    }
    return counted(new HdfsWriteFile(client, space, path, 0));
  }

  private FSDataOutputStream createOutput(Path path, EnumSet<CreateFlag> flags) throws IOException {
    return client
        .files()
        .createNonRecursive(
            path,
            FsPermission.getFileDefault(),
            flags,
            BUFFER,
            facts.replication(),
            client.files().getDefaultBlockSize(path),
            null);
  }

  @Override
  public DiskFile openForWrite(String file) throws IOException {
    Path path = path(file);
    return counted(new HdfsWriteFile(client, space, path, status(path).getLen()));
  }

  @Override
  public DiskFile openForRead(String file) throws IOException {
    Path path = path(file);
    try {
      return counted(new HdfsReadFile(client, path));
    } catch (FileNotFoundException e) {
      throw missing(path, e);
    }
  }

  @Override
  public DiskFile openForAlignedRead(String file) throws IOException {
    return openForRead(file);
  }

  private DiskFile counted(DiskFile file) {
    openFiles.incrementAndGet();
    return new CountedFile(file, openFiles);
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
    ask("delete " + path, () -> client.files().delete(path, false));
  }

  @Override
  public byte @Nullable [] readSmall(String file) throws IOException {
    Path path = path(file);
    try {
      return ask(
          "read " + path,
          () -> {
            try (FSDataInputStream input = client.files().open(path)) {
              return input.readNBytes(SMALL_MAX);
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
              createOutput(next, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
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

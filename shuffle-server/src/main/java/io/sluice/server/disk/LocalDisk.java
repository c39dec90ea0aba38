package io.sluice.server.disk;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.DirectoryLock;
import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of the machine's file system. Aligned writes and reads use O_DIRECT where the file
 * system takes it, which is probed once at open.
 */
public final class LocalDisk implements Disk {
  private static final Logger log = LoggerFactory.getLogger(LocalDisk.class);

  private final Path directory;
  private final DirectoryTenure tenure;
  private final boolean lent;
  private final FileStore fileStore;
  private final String fileSystem;
  private final boolean direct;
  // Device and inode, where the file system has them.
  private final @Nullable Object fileKey;
  private final AtomicInteger openFiles = new AtomicInteger();

  private LocalDisk(Path directory, DirectoryLock lock, boolean direct) throws IOException {
    this.directory = directory;
    this.tenure = new DirectoryTenure(lock);
    this.lent = false;
    this.direct = direct;
    fileStore = Files.getFileStore(directory);
    fileSystem = fileSystem(directory, fileStore);
    fileKey = fileKey(directory);
  }

  private LocalDisk(LocalDisk lender) {
    directory = lender.directory;
    tenure = lender.tenure;
    lent = true;
    direct = lender.direct;
    fileStore = lender.fileStore;
    fileSystem = lender.fileSystem;
    fileKey = lender.fileKey;
  }

  private static String fileSystem(Path directory, FileStore store) throws IOException {
    try {
      return "device " + Files.getAttribute(directory, "unix:dev");
    } catch (UnsupportedOperationException notUnix) {
      return store.toString();
    }
  }

  private static @Nullable Object fileKey(Path directory) throws IOException {
    return Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
  }

  /**
   * Creates the directory if needed.
   *
   * @throws SluiceException DISK_FAILED if that does not work, INVALID_CONFIGURATION if a file is
   *     in its place
   */
  public static void make(Path directory) {
    if (Files.isRegularFile(directory)) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "data directory " + directory + " is a file");
    }
    try {
      // Follows links, which creating does not for the last one.
      if (!Files.isDirectory(directory)) {
        FolderNames.makeFolder(directory);
      }
    } catch (IOException e) {
      throw failed("data directory " + directory + " cannot be made", e);
    }
  }

  /**
   * Creates the directory if needed and locks it.
   *
   * @throws SluiceException DISK_FAILED if it cannot be created or written, INVALID_CONFIGURATION
   *     if another process has it
   */
  public static LocalDisk open(Path directory) {
    make(directory);
    return openExisting(directory);
  }

  /**
   * Locks a directory that must be there.
   *
   * @throws SluiceException as {@link #open}
   */
  public static LocalDisk openExisting(Path directory) {
    DirectoryLock lock = lock(directory);
    try {
      StartRoom.takeIfFull(directory);
      boolean direct = DirectWriteProbe.accepts(directory);
      log.info("{}: {}", directory, direct ? "O_DIRECT" : "buffered, O_DIRECT was refused");
      return new LocalDisk(directory, lock, direct);
    } catch (IOException e) {
      lock.close();
      throw failed("cannot write to data directory " + directory, e);
    }
  }

  private static DirectoryLock lock(Path directory) {
    String name = "data directory " + directory;
    try {
      return DirectoryLock.acquire(directory, name);
    } catch (IOException e) {
      throw failed("cannot lock " + name, e);
    }
  }

  /**
   * The same directory for somebody who closes what he is given: the lock stays with this one,
   * which must be closed after it.
   */
  public LocalDisk lend() {
    return new LocalDisk(this);
  }

  private static SluiceException failed(String what, IOException e) {
    return new SluiceException(ErrorCode.DISK_FAILED, what + ": " + IoReason.of(e), e);
  }

  @Override
  public String name() {
    return directory.toString();
  }

  /** Where a component that needs real files, such as the catalog, keeps them. */
  public Path resolve(String file) {
    return directory.resolve(file);
  }

  @Override
  public void check() throws IOException {
    if (!Objects.equals(fileKey, fileKey(directory))) {
      throw new NoSuchFileException(directory.toString(), null, "another directory is there now");
    }
  }

  @Override
  public DiskFile create(String file) throws IOException {
    check();
    Path path = resolve(file);
    try {
      return open(path, writeOptions(StandardOpenOption.CREATE_NEW));
    } catch (NoSuchFileException missingFolder) {
      Files.createDirectories(parent(path));
      return open(path, writeOptions(StandardOpenOption.CREATE_NEW));
    }
  }

  @Override
  public DiskFile openForWrite(String file) throws IOException {
    return open(resolve(file), writeOptions(StandardOpenOption.WRITE));
  }

  private OpenOption[] writeOptions(OpenOption option) {
    return direct
        ? new OpenOption[] {option, StandardOpenOption.WRITE, DirectWriteProbe.DIRECT}
        : new OpenOption[] {option, StandardOpenOption.WRITE};
  }

  @Override
  public DiskFile openForRead(String file) throws IOException {
    return open(resolve(file), StandardOpenOption.READ);
  }

  @Override
  public DiskFile openForAlignedRead(String file) throws IOException {
    return direct
        ? open(resolve(file), StandardOpenOption.READ, DirectWriteProbe.DIRECT)
        : openForRead(file);
  }

  @Override
  public boolean bypassesPageCache() {
    return direct;
  }

  private DiskFile open(Path path, OpenOption... options) throws IOException {
    FileChannel channel = FileChannel.open(path, options);
    openFiles.incrementAndGet();
    return new LocalFile(channel, openFiles);
  }

  @Override
  public void forceNames(String folder) throws IOException {
    check();
    Path path = resolve(folder);
    if (Files.notExists(path)) {
      return;
    }
    FolderNames.force(path);
    // Where its own name is.
    FolderNames.force(parent(path));
  }

  @Override
  public List<FileEntry> list(String folder) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(resolve(folder))) {
      return FolderEntries.files(entries);
    } catch (NoSuchFileException noFolder) {
      return List.of();
    }
  }

  @Override
  public boolean holds(String name) throws IOException {
    Path path = resolve(name);
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException none) {
      return false;
    }
    if (!attributes.isDirectory()) {
      return true;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      return FolderEntries.any(entries);
    }
  }

  @Override
  public void delete(String file) throws IOException {
    Files.deleteIfExists(resolve(file));
  }

  @Override
  public byte @Nullable [] readSmall(String file) throws IOException {
    Path path = resolve(file);
    try {
      // A pipe would hang whoever opens it.
      if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
        throw new IOException(path + " is no regular file");
      }
      try (InputStream input = Files.newInputStream(path)) {
        byte[] content = input.readNBytes(SMALL_MAX + 1);
        if (content.length > SMALL_MAX) {
          throw new IOException(path + " has more than " + SMALL_MAX + " bytes");
        }
        return content;
      }
    } catch (NoSuchFileException none) {
      return null;
    }
  }

  @Override
  public void replaceSmall(String file, byte[] content) throws IOException {
    tenure.begin();
    try {
      replace(file, content);
    } finally {
      tenure.end();
    }
  }

  private void replace(String file, byte[] content) throws IOException {
    Path path = resolve(file);
    Path folder = parent(path);
    Files.createDirectories(folder);
    Path next = path.resolveSibling(path.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    FolderNames.force(folder);
  }

  private Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? directory : parent;
  }

  @Override
  public void keepStartRoom(long bytes, long spare) throws IOException {
    check();
    StartRoom.keep(directory, bytes, spare);
  }

  @Override
  public String fileSystem() {
    return fileSystem;
  }

  @Override
  public long capacity() throws IOException {
    return fileStore.getTotalSpace();
  }

  @Override
  public long free() throws IOException {
    return fileStore.getUsableSpace();
  }

  @Override
  public int openFiles() {
    return openFiles.get();
  }

  @Override
  public void keep() {
    tenure.keep();
  }

  @Override
  public void close() {
    if (!lent) {
      tenure.close();
    }
  }

  /** Counts itself out once, however often it is closed. */
  private static final class LocalFile implements DiskFile {
    private final FileChannel channel;
    private final AtomicInteger openFiles;

    LocalFile(FileChannel channel, AtomicInteger openFiles) {
      this.channel = channel;
      this.openFiles = openFiles;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      return channel.write(source, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return channel.read(target, position);
    }

    @Override
    public long length() throws IOException {
      return channel.size();
    }

    @Override
    public void truncate(long length) throws IOException {
      channel.truncate(length);
    }

    @Override
    public void force() throws IOException {
      channel.force(true);
    }

    @Override
    public synchronized void close() throws IOException {
      if (channel.isOpen()) {
        openFiles.decrementAndGet();
        channel.close();
      }
    }
  }
}

package io.sluice.integration.fault;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * A small disk of its own: ext4 on a loop device whose sectors are a file. So it can be filled,
 * unmounted, or lose its medium, which the kernel answers with EIO, and got back as it was. One
 * fault at a time.
 */
public final class LoopDisk {
  private static final long BALLAST_STEP = 64 << 20;

  /** The smallest block that an ext4 has. */
  private static final long BALLAST_STEP_MIN = 1 << 10;

  private final long bytes;
  private final Path folder;
  private final Path image;
  private final Path saved;
  private final Path mountPoint;
  private @Nullable String device;
  private boolean mounted;

  private LoopDisk(long bytes, Path folder) {
    this.bytes = bytes;
    this.folder = folder;
    this.image = folder.resolve("image");
    this.saved = folder.resolve("saved");
    this.mountPoint = folder.resolve("disk");
  }

  /**
   * Makes and mounts one.
   *
   * @param folder empty; everything in it is deleted at the end, and the folder too
   * @throws IOException if that cannot be done here, with what the system says; nothing is left
   */
  public static LoopDisk make(long bytes, Path folder) throws IOException, InterruptedException {
    LoopDisk disk = new LoopDisk(bytes, folder);
    try {
      disk.mountNew();
    } catch (IOException e) {
      disk.remove();
      throw e;
    }
    return disk;
  }

  private void mountNew() throws IOException, InterruptedException {
    Files.createDirectory(mountPoint);
    resize(bytes);
    // Without a journal an error is of the access that meets it, and does not end the file system.
    Command.run(
        "mkfs.ext4", "-q", "-O", "^has_journal", "-m", "0", "-E", "nodiscard", image.toString());
    device = Command.output("losetup", "--find", "--show", image.toString());
    mount();
  }

  private void mount() throws IOException, InterruptedException {
    Command.run("mount", "-o", "errors=continue", String.valueOf(device), mountPoint.toString());
    mounted = true;
  }

  /** Where it is mounted. */
  public Path path() {
    return mountPoint;
  }

  /** Not a byte is free, until there is as much as before. */
  public Fault filled() {
    Path ballast = mountPoint.resolve("ballast");
    return new Fault() {
      @Override
      public void begin() throws Exception {
        fill(ballast);
      }

      @Override
      public void end() throws Exception {
        Files.delete(ballast);
      }
    };
  }

  /** Takes the room and writes nothing: the kernel slows down who writes much to a disk at once. */
  private static void fill(Path ballast) throws IOException, InterruptedException {
    Files.createFile(ballast);
    long taken = 0;
    for (long step = BALLAST_STEP; step >= BALLAST_STEP_MIN; step /= 2) {
      while (isTaken(ballast, taken, step)) {
        taken += step;
      }
    }
  }

  /** False if there is no room for so many bytes. */
  private static boolean isTaken(Path ballast, long from, long bytes) throws InterruptedException {
    return Command.succeeds(
        "fallocate",
        "--offset",
        Long.toString(from),
        "--length",
        Long.toString(bytes),
        ballast.toString());
  }

  /** Whatever is asked of the medium ends with EIO, until it is back with all that it had. */
  public Fault dead() {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        loseMedium();
      }

      @Override
      public void end() throws Exception {
        bringMediumBack();
      }
    };
  }

  private void loseMedium() throws IOException, InterruptedException {
    // Frozen for a moment, so that what is saved is all that was written by then.
    freeze();
    try {
      Command.run("cp", "--sparse=always", image.toString(), saved.toString());
      resize(0);
      adoptSize();
    } finally {
      Command.run("fsfreeze", "--unfreeze", mountPoint.toString());
    }
  }

  /** Twice: what failed at an earlier fault is told to whoever syncs next, once. */
  private void freeze() throws IOException, InterruptedException {
    String[] freeze = {"fsfreeze", "--freeze", mountPoint.toString()};
    if (!Command.succeeds(freeze)) {
      Command.run(freeze);
    }
  }

  private void bringMediumBack() throws IOException, InterruptedException {
    // Into the same file: it is what the device has open.
    Command.run("cp", "--sparse=always", saved.toString(), image.toString());
    Files.delete(saved);
    adoptSize();
  }

  private void adoptSize() throws IOException, InterruptedException {
    Command.run("losetup", "--set-capacity", String.valueOf(device));
  }

  private void resize(long length) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(length);
    }
  }

  /** An empty folder is in its place; what is open stays so. Until it is mounted there again. */
  public Fault unmounted() {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        unmount();
      }

      @Override
      public void end() throws Exception {
        mount();
      }
    };
  }

  /** Whether {@link #readOnly} can be had: the kernel lets who may write there call an error. */
  public boolean canBecomeReadOnly() {
    return Files.isWritable(errorTrigger());
  }

  /**
   * The kernel finds an error in the file system and takes no writes any more, as it does where
   * {@code /etc/fstab} says {@code errors=remount-ro}; reads go on. It ends once nobody has a file
   * of it open, by unmounting.
   */
  public Fault readOnly() {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        Command.run("mount", "-o", "remount,errors=remount-ro", mountPoint.toString());
        Files.writeString(errorTrigger(), "1");
      }

      @Override
      public void end() throws Exception {
        Command.run("umount", mountPoint.toString());
        mounted = false;
        mount();
      }
    };
  }

  private Path errorTrigger() {
    Path name = Path.of(String.valueOf(device)).getFileName();
    return Path.of("/sys/fs/ext4", String.valueOf(name), "trigger_fs_error");
  }

  /**
   * Nobody who heeds permissions finds or makes a file in it; what is open stays so. Until its
   * permissions are back.
   */
  public Fault unreadable() {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        allow("---------");
      }

      @Override
      public void end() throws Exception {
        allow("rwxr-xr-x");
      }
    };
  }

  private void allow(String permissions) throws IOException {
    Files.setPosixFilePermissions(mountPoint, PosixFilePermissions.fromString(permissions));
  }

  /** Lazily: files may be open, and whoever was killed a moment ago may hold some still. */
  private void unmount() throws IOException, InterruptedException {
    Command.run("umount", "--lazy", mountPoint.toString());
    mounted = false;
  }

  /** Unmounts it and deletes all that was made; again is harmless. */
  public void remove() throws IOException, InterruptedException {
    if (mounted) {
      unmount();
    }
    if (device != null) {
      Command.run("losetup", "--detach", device);
      device = null;
    }
    Files.deleteIfExists(saved);
    Files.deleteIfExists(image);
    Files.deleteIfExists(mountPoint);
    Files.deleteIfExists(folder);
  }
}

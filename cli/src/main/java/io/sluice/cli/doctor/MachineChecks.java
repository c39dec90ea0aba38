package io.sluice.cli.doctor;

import io.sluice.common.file.IoReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What can be seen on this machine without asking anybody. */
final class MachineChecks {
  /** Where Linux says who gets huge pages: {@code always [madvise] never}. */
  static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  /** A disk fuller than that is not written to any more. */
  private static final double FREE_MIN = 0.05;

  private static final int JAVA_MIN = 17;

  private MachineChecks() {}

  static Finding java() {
    int version = Runtime.version().feature();
    String text = "Java " + Runtime.version();
    return version >= JAVA_MIN
        ? Finding.ok("java", text)
        : Finding.fail("java", text + ": needed is " + JAVA_MIN + " or later");
  }

  /** Whether a port can be listened on, or is taken, be it by the process that is meant to. */
  static Finding port(String setting, String bindAddress, int port) {
    String check = "port " + port;
    if (port == 0) {
      return Finding.ok(check, setting + " takes any free one");
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(bindAddress, port));
      return Finding.ok(check, "free for " + setting);
    } catch (IOException e) {
      return Finding.warn(
          check, setting + " is taken (" + IoReason.of(e) + "): well if its process runs here");
    }
  }

  /** How large a file system is; a seam, since one that is there mostly says. */
  interface Sizes {
    FileStore of(Path there) throws IOException;
  }

  static Finding directory(String setting, Path directory) {
    return directory(setting, directory, Files::getFileStore);
  }

  static Finding directory(String setting, Path directory, Sizes sizes) {
    String check = "disk " + directory;
    Path there = directory.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null) {
      return Finding.fail(check, "nothing on the way to it exists (" + setting + ")");
    }
    if (!Files.isDirectory(there) || !Files.isWritable(there)) {
      return Finding.fail(check, there + " cannot be written to by this user (" + setting + ")");
    }
    try {
      FileStore store = sizes.of(there);
      double free = (double) store.getUsableSpace() / Math.max(1, store.getTotalSpace());
      String text =
          String.format(
              Locale.ROOT,
              "%.0f %% of %.1f GiB free, %s",
              free * 100,
              store.getTotalSpace() / (double) (1L << 30),
              store.type());
      return free < FREE_MIN
          ? Finding.fail(check, text + ": below 5 % nothing is written there")
          : Finding.ok(check, text);
    } catch (IOException e) {
      return Finding.fail(check, "cannot be asked for its size: " + IoReason.of(e));
    }
  }

  /** Whether a server gets huge pages for its blocks and for what disks are read into. */
  static Finding hugePages(Path enabled) {
    String check = "huge pages";
    String setting;
    try {
      setting = Files.readString(enabled).strip();
    } catch (IOException e) {
      return Finding.skip(check, "not known: " + IoReason.of(e));
    }
    String text = enabled + ": " + setting;
    return setting.contains("[never]")
        ? Finding.warn(
            check, text + ": flash disks are read a third slower than with 'madvise' there")
        : Finding.ok(check, text);
  }
}

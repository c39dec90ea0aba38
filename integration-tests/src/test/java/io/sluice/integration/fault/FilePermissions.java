package io.sluice.integration.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** What files permit, which root passes by unless it gives up the right to. */
public final class FilePermissions {
  /**
   * Rights of capabilities(7): the first passes by all permissions, the second those of reading. A
   * program that root starts has what it may inherit and what is in the bounding set.
   */
  private static final String RIGHTS = "-dac_override,-dac_read_search";

  private static final List<String> HEEDING =
      List.of("setpriv", "--inh-caps", RIGHTS, "--bounding-set", RIGHTS);

  private FilePermissions() {}

  /**
   * A command that becomes the one behind it, of the same user, to whom permissions apply.
   *
   * @throws IOException if that cannot be done here, with what the system says
   */
  public static List<String> heeded() throws IOException, InterruptedException {
    Path file = Files.createTempFile("sluice-unreadable", "");
    try {
      run("cat", file.toString());
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
      if (isRun("cat", file.toString())) {
        throw new IOException("root reads what nobody may even after " + HEEDING);
      }
    } finally {
      Files.delete(file);
    }
    return HEEDING;
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Command.run(heeding(command));
  }

  private static boolean isRun(String... command) throws InterruptedException {
    return Command.succeeds(heeding(command));
  }

  private static String[] heeding(String... command) {
    List<String> line = new ArrayList<>(HEEDING);
    line.addAll(List.of(command));
    return line.toArray(String[]::new);
  }
}

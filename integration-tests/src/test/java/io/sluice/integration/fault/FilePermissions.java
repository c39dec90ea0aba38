package io.sluice.integration.fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What files permit, which root passes by unless it gives up the right to. */
public final class FilePermissions {
  /** Linux's capabilities(7): the first passes by all permissions, the second those of reading. */
  private static final List<String> HEEDING =
      List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search");

  private FilePermissions() {}

  /**
   * A command that becomes the one behind it, of the same user, to whom permissions apply.
   *
   * @throws IOException if that cannot be done here, with what the system says
   */
  public static List<String> heeded() throws IOException, InterruptedException {
    List<String> tried = new ArrayList<>(HEEDING);
    tried.add("true");
    Command.run(tried.toArray(String[]::new));
    return HEEDING;
  }
}

package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Which server has which folder on HDFS: the one under whose name it lies. Used by one thread at a
 * time.
 *
 * <pre>
 * ROOT/SERVER/segments/...               its own
 * ROOT/SERVER/adopted/OTHER-N/segments/  taken over from another, for the Nth time
 * </pre>
 *
 * <p>Taking over is one rename, which HDFS does wholly or not at all: of two that try, one fails,
 * and the former owner finds no folder to create files in. So ownership needs no lock and no
 * coordinator to be right; naming a stand-in only decides who tries.
 */
final class ServerFolders {
  private static final String ADOPTED = "adopted";

  private final HdfsClient client;
  private final Path root;
  private final Path own;

  ServerFolders(HdfsClient client, Path root, ServerId server) {
    this.client = client;
    this.root = root;
    this.own = new Path(root, server.toString());
  }

  Path own() {
    return own;
  }

  /** Folders taken over before. */
  List<Path> adopted() throws IOException {
    return folders(new Path(own, ADOPTED));
  }

  /**
   * Takes a server's folder and those that it had taken over.
   *
   * @return where they are now
   * @throws SluiceException UNKNOWN_SHUFFLE if it has none
   */
  List<Path> takeOver(ServerId dead) throws IOException {
    List<Path> taken = new ArrayList<>();
    Path main = take(new Path(root, dead.toString()), dead.toString());
    taken.add(main);
    for (Path inherited : folders(new Path(main, ADOPTED))) {
      String name = inherited.getName();
      taken.add(take(inherited, name.substring(0, name.lastIndexOf('-'))));
    }
    return taken;
  }

  private Path take(Path from, String name) throws IOException {
    Path adopted = new Path(own, ADOPTED);
    makePassable(adopted);
    List<String> known = folders(adopted).stream().map(Path::getName).toList();
    int number = 1;
    while (known.contains(name + "-" + number)) {
      number++;
    }
    Path to = new Path(adopted, name + "-" + number);
    if (!ask("take over " + from, () -> client.files().rename(from, to))) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, from + " is not there, or somebody else has taken it over");
    }
    return to;
  }

  /** Makes the root if nobody has, so that users can come to files of theirs below it. */
  void makeRoot() throws IOException {
    if (!ask("look for " + root, () -> client.files().exists(root))) {
      makePassable(root);
    }
  }

  /**
   * What HDFS calls this server: whose a folder is that it has just made. What the client calls its
   * user may be another name, by other rules ({@code hadoop.security.auth_to_local}).
   */
  String serverName() throws IOException {
    Path probe = new Path(own, HdfsFolder.PROBE);
    return ask(
        "make " + probe,
        () -> {
          client.files().delete(probe, true);
          client.files().mkdirs(probe, HdfsFolder.PRIVATE);
          return client.files().getFileStatus(probe).getOwner();
        });
  }

  private void makePassable(Path path) throws IOException {
    ask("make " + path, () -> client.files().mkdirs(path, HdfsFolder.PASSABLE));
    HdfsFolder.permit(client, path, HdfsFolder.PASSABLE);
  }

  private List<Path> folders(Path within) throws IOException {
    try {
      return ask(
          "list " + within,
          () -> {
            List<Path> folders = new ArrayList<>();
            for (FileStatus entry : client.files().listStatus(within)) {
              if (entry.isDirectory()) {
                folders.add(entry.getPath());
              }
            }
            return folders;
          });
    } catch (FileNotFoundException none) {
      return List.of();
    }
  }

  private <T> T ask(String what, Callable<T> call) throws IOException {
    return client.calls().call(what, call);
  }
}

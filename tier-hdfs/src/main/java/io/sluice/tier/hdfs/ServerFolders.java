package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger log = LoggerFactory.getLogger(ServerFolders.class);

  private static final String ADOPTED = "adopted";

  /** What a server's name ends with where it was taken over. */
  private static final Pattern NUMBER = Pattern.compile("-[0-9]+$");

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

  /**
   * Folders taken over before, also by a takeover that was cut short; those in which nothing is
   * left any more are deleted.
   */
  List<Path> adopted() throws IOException {
    List<Path> adopted = new ArrayList<>();
    for (Path folder : folders(new Path(own, ADOPTED))) {
      adopted.addAll(withInherited(folder));
    }
    return withoutEmpty(adopted);
  }

  /** How many folders {@link #takeOver} would take; 0 if that server has none. */
  int toTakeOver(ServerId dead) throws IOException {
    Path main = new Path(root, dead.toString());
    if (!ask("look for " + main, () -> client.files().exists(main))) {
      return 0;
    }
    return 1 + folders(new Path(main, ADOPTED)).size();
  }

  /**
   * Takes a server's folder and those that it had taken over. If that fails on the way, what is
   * left of it is done by {@link #adopted}.
   *
   * @return where those are now in which there is something
   * @throws SluiceException UNKNOWN_SHUFFLE if it has none
   */
  List<Path> takeOver(ServerId dead) throws IOException {
    Path main = new Path(root, dead.toString());
    Path taken = placeFor(dead.toString());
    if (!move(main, taken)) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, main + " is not there, or somebody else has taken it over");
    }
    return withoutEmpty(withInherited(taken));
  }

  /** A folder of this server, and those in it that its former owner had taken over, moved up. */
  private List<Path> withInherited(Path folder) throws IOException {
    List<Path> all = new ArrayList<>();
    all.add(folder);
    for (int i = 0; i < all.size(); i++) {
      for (Path inherited : folders(new Path(all.get(i), ADOPTED))) {
        Path up = placeFor(NUMBER.matcher(inherited.getName()).replaceFirst(""));
        if (!move(inherited, up)) {
          throw new IOException(inherited + " is not there any more, or " + up + " is");
        }
        all.add(up);
      }
    }
    return all;
  }

  /** Those of some folders taken over that hold anything; the others are deleted. */
  private List<Path> withoutEmpty(List<Path> taken) throws IOException {
    List<Path> kept = new ArrayList<>();
    for (Path folder : taken) {
      if (holds(new Path(folder, HdfsFolder.SEGMENTS)) || holds(new Path(folder, ADOPTED))) {
        kept.add(folder);
      } else {
        giveUp(folder);
      }
    }
    return kept;
  }

  private boolean holds(Path within) throws IOException {
    try {
      return ask("look into " + within, () -> client.files().listStatusIterator(within).hasNext());
    } catch (FileNotFoundException none) {
      return false;
    }
  }

  /** Segments go first, and only while there are none: the namenode sees to that. */
  private void giveUp(Path folder) {
    try {
      ask(
          "delete " + folder,
          () -> {
            client.files().delete(new Path(folder, HdfsFolder.SEGMENTS), false);
            return client.files().delete(folder, true);
          });
      log.info("{}: deleted, nothing is left of what was taken over", folder);
    } catch (IOException e) {
      log.warn("{}: nothing is left of what was taken over, but it stays", folder, e);
    }
  }

  /** Where a folder can be moved to that has been a server's. */
  private Path placeFor(String server) throws IOException {
    Path adopted = new Path(own, ADOPTED);
    makePassable(adopted);
    List<String> known = folders(adopted).stream().map(Path::getName).toList();
    int number = 1;
    while (known.contains(server + "-" + number)) {
      number++;
    }
    return new Path(adopted, server + "-" + number);
  }

  /** Whether it was there. */
  private boolean move(Path from, Path to) throws IOException {
    return ask("move " + from, () -> client.files().rename(from, to));
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

package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that only the present leader can write. The node {@value #TERM} is rewritten when a term
 * begins, and every write is one ZooKeeper transaction with a check of that node's version: a
 * leader that was paused and woke up after its successor took over changes nothing.
 *
 * <p>Calls block and are for one thread, but for {@link #confirm}.
 */
final class FencedNodes {
  static final String TERM = "/term";

  /** Each waits in the client's queue with some 200 bytes. */
  private static final int READS_AT_ONCE = 1_000;

  /** Longer than Curator itself tries. */
  private static final long READ_SECONDS = 30;

  /**
   * A node's data. ZooKeeper takes messages of at most 1 MB (jute.maxbuffer) and cuts the
   * connection of whoever sends a larger one, which would cost a leader its term.
   */
  static final int NODE_MAX = 512 << 10;

  /**
   * Names of a node's children, with 4 bytes more each: they are listed in one message, and a term
   * that cannot list them cannot begin.
   */
  static final int NAMES_MAX = 900_000;

  private static final int NAME_OVERHEAD = 4;

  private final CuratorFramework client;
  private final boolean owned;
  // Nodes believed to exist, which saves asking; a wrong belief costs one more round trip.
  private final Set<String> existing = new HashSet<>();
  // By parent, of those nodes.
  private final Map<String, Long> names = new HashMap<>();
  // Also read by whoever confirms.
  private volatile int fence = -1;

  FencedNodes(CuratorFramework client, boolean owned) {
    this.client = client;
    this.owned = owned;
  }

  /** Begins the next term; returns its number. */
  long beginTerm(String leader) throws Exception {
    Stat stat = new Stat();
    byte[] data;
    try {
      data = client.getData().storingStatIn(stat).forPath(TERM);
    } catch (KeeperException.NoNodeException e) {
      client.create().orSetData().creatingParentsIfNeeded().forPath(TERM, new byte[0]);
      data = client.getData().storingStatIn(stat).forPath(TERM);
    }
    long term = RecordText.readLeader(data).term() + 1;
    byte[] note = RecordText.write(new RecordText.LeaderNote(term, leader));
    fence = client.setData().withVersion(stat.getVersion()).forPath(TERM, note).getVersion();
    // Other leaders have made and removed nodes since this one led, if it did.
    existing.clear();
    names.clear();
    if (owned) {
      OwnNodes.take(client, TERM);
    }
    return term;
  }

  /**
   * Finds out whether the term still holds, by a transaction that only checks: it goes through
   * ZooKeeper's leader and a majority, so that neither a lagging nor a deposed member can answer.
   * Does not block; any thread.
   *
   * @param answer is given nothing if it holds, else why not, on a thread of Curator's or of the
   *     caller
   */
  void confirm(Consumer<@Nullable Exception> answer) {
    try {
      client
          .transaction()
          .inBackground((ignored, event) -> answer.accept(confirmed(event.getResultCode())))
          .forOperations(check());
    } catch (Exception e) {
      answer.accept(e);
    }
  }

  private static @Nullable Exception confirmed(int resultCode) {
    KeeperException.Code code = KeeperException.Code.get(resultCode);
    if (code == null) {
      return new KeeperException.SystemErrorException();
    }
    return switch (code) {
      case OK -> null;
      case BADVERSION, NONODE -> fenced(null);
      default -> KeeperException.create(code, TERM);
    };
  }

  /** Data of the children of a node, which is made if it is not there. */
  Map<String, byte[]> load(String parent) throws Exception {
    if (client.checkExists().forPath(parent) == null) {
      client.create().orSetData().creatingParentsIfNeeded().forPath(parent, new byte[0]);
    }
    Map<String, byte[]> children = new HashMap<>();
    List<String> found = client.getChildren().forPath(parent);
    for (int from = 0; from < found.size(); from += READS_AT_ONCE) {
      read(parent, found.subList(from, Math.min(found.size(), from + READS_AT_ONCE)), children);
    }
    children.keySet().forEach(child -> believe(parent + "/" + child));
    return children;
  }

  /** Reads many nodes in one round trip's time: one after the other, 25,000 took ten seconds. */
  private void read(String parent, List<String> some, Map<String, byte[]> into) throws Exception {
    LinkedBlockingQueue<CuratorEvent> answers = new LinkedBlockingQueue<>();
    for (String name : some) {
      client
          .getData()
          .inBackground((ignored, event) -> answers.add(event))
          .forPath(parent + "/" + name);
    }
    for (int i = 0; i < some.size(); i++) {
      CuratorEvent answer = answers.poll(READ_SECONDS, TimeUnit.SECONDS);
      if (answer == null) {
        throw new KeeperException.OperationTimeoutException();
      }
      KeeperException.Code code = KeeperException.Code.get(answer.getResultCode());
      if (code == KeeperException.Code.OK) {
        into.put(answer.getPath().substring(parent.length() + 1), answer.getData());
      } else if (code != KeeperException.Code.NONODE) {
        throw KeeperException.create(code, answer.getPath());
      }
    }
  }

  /**
   * @throws SluiceException QUOTA_EXCEEDED, with nothing written, if it is more than a node, or its
   *     parent, can have
   */
  void put(String path, byte[] data) throws Exception {
    boolean believed = existing.contains(path);
    requireRoom(path, data.length, believed);
    try {
      write(believed ? set(path, data) : create(path, data));
    } catch (KeeperException.NodeExistsException e) {
      write(set(path, data));
    } catch (KeeperException.NoNodeException e) {
      write(create(path, data));
    }
    believe(path);
  }

  /** The data of a node that is written once: what is given if it is not there yet. */
  byte[] getOrCreate(String path, byte[] first) throws Exception {
    try {
      return client.getData().forPath(path);
    } catch (KeeperException.NoNodeException e) {
      write(create(path, first));
      return first;
    }
  }

  private void requireRoom(String path, int length, boolean believed) {
    if (length > NODE_MAX) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED,
          path + " would take " + length + " bytes, a node in ZooKeeper has at most " + NODE_MAX);
    }
    long taken = names.getOrDefault(parent(path), 0L) + size(path);
    if (!believed && taken > NAMES_MAX) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED,
          "the names of all nodes in "
              + parent(path)
              + " would take "
              + taken
              + " bytes, a node in ZooKeeper can list at most "
              + NAMES_MAX);
    }
  }

  private void believe(String path) {
    if (existing.add(path)) {
      names.merge(parent(path), (long) size(path), Long::sum);
    }
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static int size(String path) {
    return path.length() - path.lastIndexOf('/') - 1 + NAME_OVERHEAD;
  }

  void remove(String path) throws Exception {
    try {
      write(client.transactionOp().delete().forPath(path));
    } catch (KeeperException.NoNodeException e) {
      // It is gone, which is what was asked for.
    }
    if (existing.remove(path)) {
      names.merge(parent(path), (long) -size(path), Long::sum);
    }
  }

  private CuratorOp set(String path, byte[] data) throws Exception {
    return client.transactionOp().setData().forPath(path, data);
  }

  private CuratorOp create(String path, byte[] data) throws Exception {
    return client.transactionOp().create().forPath(path, data);
  }

  private void write(CuratorOp op) throws Exception {
    try {
      client.transaction().forOperations(List.of(check(), op));
    } catch (KeeperException.BadVersionException e) {
      throw fenced(e);
    }
  }

  private CuratorOp check() throws Exception {
    return client.transactionOp().check().withVersion(fence).forPath(TERM);
  }

  private static SluiceException fenced(@Nullable Exception cause) {
    return new SluiceException(
        ErrorCode.NOT_LEADER, "another leader has begun its term; nothing was written", cause);
  }
}

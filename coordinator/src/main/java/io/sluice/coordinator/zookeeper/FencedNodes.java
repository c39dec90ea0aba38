package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Nodes that only the present leader can write. The node {@value #TERM} is rewritten when a term
 * begins, and every write is one ZooKeeper transaction with a check of that node's version: a
 * leader that was paused and woke up after its successor took over changes nothing.
 *
 * <p>Calls block; used by one thread.
 */
final class FencedNodes {
  static final String TERM = "/term";

  private final CuratorFramework client;
  // Nodes believed to exist, which saves asking; a wrong belief costs one more round trip.
  private final Set<String> existing = new HashSet<>();
  private int fence = -1;

  FencedNodes(CuratorFramework client) {
    this.client = client;
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
    return term;
  }

  /** Data of the children of a node, which is made if it is not there. */
  Map<String, byte[]> load(String parent) throws Exception {
    if (client.checkExists().forPath(parent) == null) {
      client.create().orSetData().creatingParentsIfNeeded().forPath(parent, new byte[0]);
    }
    Map<String, byte[]> children = new HashMap<>();
    for (String child : client.getChildren().forPath(parent)) {
      String path = parent + "/" + child;
      children.put(child, client.getData().forPath(path));
      existing.add(path);
    }
    return children;
  }

  void put(String path, byte[] data) throws Exception {
    boolean believed = existing.contains(path);
    try {
      write(believed ? set(path, data) : create(path, data));
    } catch (KeeperException.NodeExistsException e) {
      write(set(path, data));
    } catch (KeeperException.NoNodeException e) {
      write(create(path, data));
    }
    existing.add(path);
  }

  void remove(String path) throws Exception {
    try {
      write(client.transactionOp().delete().forPath(path));
    } catch (KeeperException.NoNodeException e) {
      // It is gone, which is what was asked for.
    }
    existing.remove(path);
  }

  private CuratorOp set(String path, byte[] data) throws Exception {
    return client.transactionOp().setData().forPath(path, data);
  }

  private CuratorOp create(String path, byte[] data) throws Exception {
    return client.transactionOp().create().forPath(path, data);
  }

  private void write(CuratorOp op) throws Exception {
    CuratorOp check = client.transactionOp().check().withVersion(fence).forPath(TERM);
    try {
      client.transaction().forOperations(List.of(check, op));
    } catch (KeeperException.BadVersionException e) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER, "another leader has begun its term; nothing was written", e);
    }
  }
}

package io.sluice.coordinator.zookeeper;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;

/**
 * Nodes that are read and written by who made them alone: coordinators that log in as the same
 * user. What lies above the cluster's root is left to all.
 */
final class OwnNodes implements ACLProvider {
  private final String root;

  /**
   * @param root absolute path of the cluster's root
   */
  OwnNodes(String root) {
    this.root = root;
  }

  @Override
  public List<ACL> getDefaultAcl() {
    return Ids.CREATOR_ALL_ACL;
  }

  /** Curator asks with whole paths while it makes the root, and with paths below it later. */
  @Override
  public List<ACL> getAclForPath(String path) {
    return root.startsWith(path + "/") ? Ids.OPEN_ACL_UNSAFE : Ids.CREATOR_ALL_ACL;
  }

  /**
   * Takes nodes that anybody may write, from when coordinators did not log in, once. The last that
   * is taken is the one that is looked at first, so an end in between is made up for. Candidates
   * are left alone: they go with their sessions. Blocks.
   *
   * @param last a node that exists; it and all that lies beside it and below are taken
   */
  static void take(CuratorFramework client, String last) throws Exception {
    if (!isOpen(client, last)) {
      return;
    }
    for (String node : openNodes(client)) {
      if (!node.equals(last)) {
        take(client, node, true);
      }
    }
    take(client, last, false);
  }

  private static void take(CuratorFramework client, String node, boolean mayBeGone)
      throws Exception {
    try {
      client.setACL().withACL(Ids.CREATOR_ALL_ACL).forPath(node);
    } catch (KeeperException.NoNodeException e) {
      if (!mayBeGone) {
        throw e;
      }
    }
  }

  private static boolean isOpen(CuratorFramework client, String node) throws Exception {
    return client.getACL().forPath(node).equals(Ids.OPEN_ACL_UNSAFE);
  }

  /** The root, its children, and theirs. */
  private static List<String> openNodes(CuratorFramework client) throws Exception {
    List<String> nodes = new ArrayList<>();
    for (String parent : client.getChildren().forPath("/")) {
      String path = "/" + parent;
      if (!path.equals(ZooKeeperEnsemble.ELECTION)) {
        for (String child : client.getChildren().forPath(path)) {
          nodes.add(path + "/" + child);
        }
      }
      nodes.add(path);
    }
    nodes.add("/");
    return nodes;
  }
}

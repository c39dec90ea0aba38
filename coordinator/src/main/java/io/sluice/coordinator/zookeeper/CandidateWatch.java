package io.sluice.coordinator.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;

/**
 * Sees who stands for election, which each coordinator does as long as its session lasts. One whose
 * session has just ended may be seen until ZooKeeper has noticed.
 */
final class CandidateWatch implements AutoCloseable {
  private final CuratorCache nodes;
  private final String path;

  /**
   * Begins to look.
   *
   * @param path of the election
   * @param told the addresses of all, each once and in their order, whenever they change; on
   *     Curator's threads, so it must only hand over
   */
  CandidateWatch(CuratorFramework client, String path, Consumer<List<String>> told) {
    this.path = path;
    this.nodes = CuratorCache.build(client, path);
    nodes
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forAll((type, before, now) -> told.accept(addresses()))
                .build());
    nodes.start();
  }

  private List<String> addresses() {
    return nodes.stream()
        .filter(node -> !node.getPath().equals(path))
        .map(CandidateWatch::address)
        .filter(address -> !address.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  /** Empty of what somebody else has put there. */
  private static String address(ChildData node) {
    byte[] data = node.getData();
    return data == null ? "" : new String(data, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    nodes.close();
  }
}

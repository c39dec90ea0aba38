package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Which lost servers are news: each life of a server once. Used by one thread. */
final class LossNews {
  private final Set<PlacedServer> told = new HashSet<>();

  /**
   * Those that are lost and were not among the lost the last time.
   *
   * @param used servers that live shuffles name; others are forgotten
   */
  List<PlacedServer> of(Collection<PlacedServer> used, Predicate<PlacedServer> isLost) {
    told.retainAll(used);
    List<PlacedServer> news = new ArrayList<>();
    for (PlacedServer server : used) {
      if (!isLost.test(server)) {
        told.remove(server);
      } else if (told.add(server)) {
        news.add(server);
      }
    }
    return news;
  }
}

package io.sluice.client.fetch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * All requests of a read, and what may still be hoped for at a position. On the task's thread.
 *
 * <p>Every position that was asked for has a list of its own, 24 bytes: a reader of many partitions
 * has many requests, and looking through all of them for each partition that a lost server had
 * would take their product.
 */
final class Requests {
  private static final ServerFetch[] NONE = {};

  private final List<ServerFetch> all = new ArrayList<>();
  private final ServerFetch[][] byPosition;

  /**
   * @param width partitions of the range
   */
  Requests(int width) {
    byPosition = new ServerFetch[width][];
    Arrays.fill(byPosition, NONE);
  }

  void add(List<ServerFetch> more) {
    all.addAll(more);
    for (ServerFetch fetch : more) {
      fetch.run().positions().forEach(at -> byPosition[at] = with(byPosition[at], fetch));
    }
  }

  private static ServerFetch[] with(ServerFetch[] some, ServerFetch another) {
    ServerFetch[] more = Arrays.copyOf(some, some.length + 1);
    more[some.length] = another;
    return more;
  }

  /** In the order in which they were made; a view. */
  List<ServerFetch> all() {
    return Collections.unmodifiableList(all);
  }

  /** Whether a server may well bring what is missing at a position. */
  boolean isHopeful(int server, int position) {
    for (ServerFetch fetch : byPosition[position]) {
      if (fetch.index() == server && fetch.isHopeful()) {
        return true;
      }
    }
    return false;
  }

  /** Whether anybody may well bring it. */
  boolean isHopeful(int position) {
    for (ServerFetch fetch : byPosition[position]) {
      if (fetch.isHopeful()) {
        return true;
      }
    }
    return false;
  }

  /** Whether anybody is left who might bring it. */
  boolean mayCome(int position) {
    for (ServerFetch fetch : byPosition[position]) {
      if (fetch.mayBring(position)) {
        return true;
      }
    }
    return false;
  }
}

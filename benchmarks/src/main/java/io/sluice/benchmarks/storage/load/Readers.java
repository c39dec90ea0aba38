package io.sluice.benchmarks.storage.load;

import io.sluice.transport.ServerSessionFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Connections that together fetch partitions of a plan. One thread's. */
public final class Readers {
  private final BlockPlan plan;
  private final ReadPlan tasks;
  private final List<ReaderLink> links = new ArrayList<>();

  private Readers(BlockPlan plan, ReadPlan tasks) {
    this.plan = plan;
    this.tasks = tasks;
  }

  /** For every partition, once. */
  public static Readers ofAll(BlockPlan plan) {
    return new Readers(plan, ReadPlan.all(plan, 1));
  }

  /** For every partition so many times: as many readers are in the same one at once. */
  public static Readers sharing(BlockPlan plan, int times) {
    return new Readers(plan, ReadPlan.all(plan, times));
  }

  /** For every partition once, in so many ranges of maps. */
  public static Readers ofRanges(BlockPlan plan, int ranges) {
    return new Readers(plan, ReadPlan.ranges(plan, ranges));
  }

  /** For one partition of each shuffle, once. */
  public static Readers ofOne(BlockPlan plan, int partition) {
    return new Readers(plan, ReadPlan.only(plan, partition));
  }

  /**
   * Adds a connection.
   *
   * @param loop the server's event loop for it
   * @param client where what it fetches is checked
   */
  public void connect(ServerSessionFactory server, Executor loop, Executor client) {
    links.add(new ReaderLink(server, loop, tasks, client, links.size()));
  }

  /**
   * Begins; completes when everything has been read.
   *
   * @param atOnce reduce tasks of all connections together
   */
  public CompletableFuture<Void> start(long incarnation, int atOnce) {
    for (int i = 0; i < links.size(); i++) {
      int own = atOnce / links.size() + (i < atOnce % links.size() ? 1 : 0);
      links.get(i).start(plan, incarnation, own);
    }
    return AllEnds.of(links);
  }

  /** After the end. */
  public void disconnect() {
    links.forEach(ReaderLink::disconnect);
  }

  /** What each fetch brought, in no order; after the end. */
  public List<Digest> fetched() {
    return links.stream().flatMap(link -> link.fetched().stream()).toList();
  }

  /** What was read in all; after the end. */
  public Digest digest() {
    Digest all = new Digest();
    fetched().forEach(all::add);
    return all;
  }
}

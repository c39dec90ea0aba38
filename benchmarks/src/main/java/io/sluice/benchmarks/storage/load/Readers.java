package io.sluice.benchmarks.storage.load;

import io.sluice.transport.ServerSessionFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Connections that together fetch every partition of a plan once. One thread's. */
public final class Readers {
  private final BlockPlan plan;
  private final ReadPlan tasks;
  private final List<ReaderLink> links = new ArrayList<>();

  public Readers(BlockPlan plan) {
    this.plan = plan;
    this.tasks = new ReadPlan(plan);
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
   * Begins; completes when every partition has been read.
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

  /** What was read; after the end. */
  public Digest digest() {
    Digest all = new Digest();
    links.forEach(link -> all.add(link.digest()));
    return all;
  }
}

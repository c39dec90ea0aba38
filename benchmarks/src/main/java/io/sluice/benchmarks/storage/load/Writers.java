package io.sluice.benchmarks.storage.load;

import io.sluice.transport.ServerSessionFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections that together push all blocks of a plan. One thread's. */
public final class Writers {
  private final BlockPlan plan;
  private final List<WriterLink> links = new ArrayList<>();
  private final List<BlockSource> sources = new ArrayList<>();
  private final AtomicInteger nextMap = new AtomicInteger();

  public Writers(BlockPlan plan) {
    this.plan = plan;
  }

  /**
   * Adds a connection.
   *
   * @param loop the server's event loop for it, where its blocks are made
   * @param client counts what making them takes
   */
  public void connect(ServerSessionFactory server, Executor loop, ClientWork client) {
    BlockSource source = new BlockSource(plan, nextMap);
    sources.add(source);
    links.add(new WriterLink(server, loop, source, client, links.size()));
  }

  /** Begins; completes when every block has been acknowledged. */
  public CompletableFuture<Void> start(long incarnation) {
    links.forEach(link -> link.start(plan, incarnation));
    return AllEnds.of(links);
  }

  /** After the end. */
  public void disconnect() {
    links.forEach(WriterLink::disconnect);
  }

  /** What was pushed; after the end. */
  public Digest digest() {
    Digest all = new Digest();
    sources.forEach(source -> all.add(source.digest()));
    return all;
  }
}

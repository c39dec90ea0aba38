package io.sluice.transport.netty;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Looks host names up, which blocks for as long as the system's resolver likes: 5 to 40 s for a
 * name whose DNS server is silent. So whoever asks must have a deadline of its own, and a name is
 * looked up once at a time, however often it is asked for meanwhile: a dead name holds one thread
 * of the executor, never all of them. Thread-safe.
 *
 * <p>Answers are not kept here, but the Java runtime keeps them: 30 s, and refusals 10 s, unless
 * {@code networkaddress.cache.ttl} and {@code networkaddress.cache.negative.ttl} say otherwise. So
 * a name that leads elsewhere now is found there half a minute later at the latest.
 */
final class NameLookups {
  /** Resolves one name; blocks. */
  interface Resolver {
    /** The address of a host, 4 or 16 bytes. */
    byte[] resolve(String host) throws UnknownHostException;

    /** The Java runtime's, which asks the system's. */
    static Resolver ofSystem() {
      return host -> InetAddress.getByName(host).getAddress();
    }
  }

  private final Executor threads;
  private final Resolver resolver;
  private final ConcurrentHashMap<String, CompletableFuture<byte[]>> underWay =
      new ConcurrentHashMap<>();

  NameLookups(Executor threads, Resolver resolver) {
    this.threads = threads;
    this.resolver = resolver;
  }

  /**
   * The address of a host, or what there is instead: an UnknownHostException, a
   * RejectedExecutionException, or the Error that kept a thread from running. Completes on a thread
   * of the executor, or on the caller's.
   */
  CompletionStage<byte[]> lookUp(String host) {
    CompletableFuture<byte[]> fresh = new CompletableFuture<>();
    CompletableFuture<byte[]> before = underWay.putIfAbsent(host, fresh);
    if (before != null) {
      return before;
    }
    try {
      threads.execute(() -> resolve(host, fresh));
    } catch (RejectedExecutionException | OutOfMemoryError full) {
      // The latter if the system has no more threads. Should the task be run all the same, its
      // answer comes too late for anybody.
      underWay.remove(host, fresh);
      fresh.completeExceptionally(full);
    }
    return fresh;
  }

  private void resolve(String host, CompletableFuture<byte[]> answer) {
    byte[] address = null;
    Throwable failure = null;
    try {
      address = resolver.resolve(host);
    } catch (Throwable unknown) { // The thread's edge: else the name would be under way for ever.
      failure = unknown;
    }
    underWay.remove(host, answer);
    if (failure == null) {
      answer.complete(address);
    } else {
      answer.completeExceptionally(failure);
    }
  }
}

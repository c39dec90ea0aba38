package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connections that live of one listener, whatever carries them. Thread-safe. */
public final class ServerConnections {
  private final ConnectionCount count;

  /** Whether each has a place, or is being turned away. */
  private final Map<ServerProtocol, Boolean> connections = new ConcurrentHashMap<>();

  private volatile @Nullable CompletableFuture<Void> whenEmpty;

  /**
   * @param count shared by all listeners of the process
   */
  public ServerConnections(ConnectionCount count) {
    this.count = count;
  }

  /**
   * Whether there is a place for one more newcomer from an address.
   *
   * @return to be run when it has been let in or is gone, again is harmless; null if there is none
   */
  public @Nullable Runnable newcomer(SocketAddress peer) {
    return count.newcomer(peer);
  }

  /** What to tell one more newcomer of an address that has too many, for people. */
  public String tooManyNewcomers() {
    return "at most "
        + count.mostNewcomers()
        + " connections of one address may be open that have not been let in";
  }

  /** The same as bytes of the protocol, for who has said nothing yet; the caller's to release. */
  public ByteBuf tooManyNewcomers(ByteBufAllocator alloc) {
    ByteBuf why = Frames.magic(alloc.directBuffer());
    Frames.failure(why, FrameType.ERROR, 0, ErrorCode.TOO_MANY_CONNECTIONS, tooManyNewcomers());
    return why;
  }

  /** Whether a newcomer is not even to be told that it is one too many. */
  public boolean isFull() {
    return count.isFull();
  }

  /** A connection exists; if it is one too many, or the server stops, it is told so soon. */
  public void add(ServerProtocol protocol) {
    boolean fits = count.add();
    connections.put(protocol, fits);
    if (whenEmpty != null) {
      later(protocol, p -> p.refuse(ErrorCode.SHUTTING_DOWN, "server stops"));
    } else if (!fits) {
      later(
          protocol,
          p -> p.refuse(ErrorCode.TOO_MANY_CONNECTIONS, "at most " + count.most() + " at once"));
    }
  }

  /** A connection is gone; again is harmless. */
  public void remove(ServerProtocol protocol) {
    Boolean hadPlace = connections.remove(protocol);
    if (hadPlace != null) {
      count.remove(hadPlace);
    }
    completeIfEmpty();
  }

  private void completeIfEmpty() {
    CompletableFuture<Void> waiting = whenEmpty;
    if (waiting != null && connections.isEmpty()) {
      waiting.complete(null);
    }
  }

  private static void later(ServerProtocol protocol, Consumer<ServerProtocol> call) {
    protocol.executor().execute(() -> call.accept(protocol));
  }

  public int size() {
    return connections.size();
  }

  /** Asks every client to go and turns newcomers away; completes when no connection is left. */
  public CompletableFuture<Void> goAway() {
    CompletableFuture<Void> gone = stop();
    connections.keySet().forEach(protocol -> later(protocol, ServerProtocol::goAway));
    return gone;
  }

  /**
   * Ends every connection with SHUTTING_DOWN and waits until they are gone, for so long at most.
   *
   * @return false if some are still there
   */
  public boolean end(long nanos) {
    CompletableFuture<Void> gone = stop();
    connections
        .keySet()
        .forEach(
            protocol -> later(protocol, p -> p.refuse(ErrorCode.SHUTTING_DOWN, "server stops")));
    try {
      gone.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException | ExecutionException late) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized CompletableFuture<Void> stop() {
    CompletableFuture<Void> waiting = whenEmpty;
    if (waiting == null) {
      waiting = new CompletableFuture<>();
      whenEmpty = waiting;
    }
    completeIfEmpty();
    return waiting;
  }
}

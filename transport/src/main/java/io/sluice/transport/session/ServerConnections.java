package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionCount.Newcomer;
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

  /** Each with its place, or its right to be told that it is one too many. */
  private final Map<ServerProtocol, Newcomer> connections = new ConcurrentHashMap<>();

  private volatile @Nullable CompletableFuture<Void> whenEmpty;

  /**
   * @param count shared by all listeners of the process
   */
  public ServerConnections(ConnectionCount count) {
    this.count = count;
  }

  /** As {@link ConnectionCount#newcomer}. */
  public @Nullable Newcomer newcomer(SocketAddress peer, Runnable onTurn) {
    return count.newcomer(peer, onTurn);
  }

  /**
   * What a newcomer is sent that has waited in line for too long: all that it hears of the
   * protocol.
   */
  public byte[] waitedInVain() {
    ByteBuf why = Frames.magic(Unpooled.buffer());
    String message =
        "other connections of the same address came before, and have not said who they are";
    Frames.failure(why, FrameType.ERROR, 0, ErrorCode.TOO_MANY_CONNECTIONS, message);
    return ByteBufUtil.getBytes(why);
  }

  /**
   * A connection begins; if it is one too many, or the server stops, it is told so soon.
   *
   * @param newcomer that is gone when the connection is {@link #remove removed}
   */
  public void add(ServerProtocol protocol, Newcomer newcomer) {
    boolean fits = newcomer.takePlace();
    connections.put(protocol, newcomer);
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
    Newcomer gone = connections.remove(protocol);
    if (gone != null) {
      gone.gone();
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

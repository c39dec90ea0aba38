package io.sluice.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sets up accepted connections and knows those that live. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class Acceptor extends ChannelInitializer<SocketChannel> {
  private final EventLoops loops;
  private final ServerSettings settings;
  private final ServerSessionFactory sessions;
  private final Map<Channel, ServerProtocol> connections = new ConcurrentHashMap<>();
  private volatile @Nullable CompletableFuture<Void> whenEmpty;

  Acceptor(EventLoops loops, ServerSettings settings, ServerSessionFactory sessions) {
    this.loops = loops;
    this.settings = settings;
    this.sessions = sessions;
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    int most = settings.limits().maxConnections();
    if (connections.size() >= 2 * most) {
      // Even those that are being turned away are bounded.
      channel.close();
      return;
    }
    ReceiveBuffer receiveBuffer = loops.receiveBuffer(channel.eventLoop());
    channel.config().setRecvByteBufAllocator(receiveBuffer.allocator());
    ChannelOutput output = new ChannelOutput(channel, loops.alloc(), channel.remoteAddress());
    ServerProtocol protocol = new ServerProtocol(settings, sessions, output);
    channel
        .pipeline()
        .addLast(
            new ConnectionHandler(
                protocol, receiveBuffer, loops.clock(), settings.timeouts().tickNanos()));
    connections.put(channel, protocol);
    channel.closeFuture().addListener(closed -> gone(channel));
    if (whenEmpty != null) {
      later(channel, p -> p.refuse(ErrorCode.SHUTTING_DOWN, "server stops"));
    } else if (connections.size() > most) {
      later(channel, p -> p.refuse(ErrorCode.TOO_MANY_CONNECTIONS, "at most " + most + " at once"));
    }
  }

  private void gone(Channel channel) {
    connections.remove(channel);
    completeIfEmpty();
  }

  private void completeIfEmpty() {
    CompletableFuture<Void> waiting = whenEmpty;
    if (waiting != null && connections.isEmpty()) {
      waiting.complete(null);
    }
  }

  private void later(Channel channel, Consumer<ServerProtocol> call) {
    ServerProtocol protocol = connections.get(channel);
    if (protocol != null) {
      channel.eventLoop().execute(() -> call.accept(protocol));
    }
  }

  int connectionCount() {
    return connections.size();
  }

  /** Turns away newcomers from here on; completes when no connection is left. */
  synchronized CompletableFuture<Void> stop() {
    CompletableFuture<Void> waiting = whenEmpty;
    if (waiting == null) {
      waiting = new CompletableFuture<>();
      whenEmpty = waiting;
    }
    completeIfEmpty();
    return waiting;
  }

  /** Calls each connection's protocol on its event loop. */
  void forEach(Consumer<ServerProtocol> call) {
    connections.keySet().forEach(channel -> later(channel, call));
  }

  /** Not on an event loop. */
  void closeAll() {
    for (Channel channel : connections.keySet()) {
      channel.close().awaitUninterruptibly();
    }
  }
}

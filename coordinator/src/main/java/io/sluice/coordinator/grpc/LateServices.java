package io.sluice.coordinator.grpc;

import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.sluice.common.tls.Tls;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a server offers that holds its port before it has anything to offer: until then whoever
 * connects is turned away without a word, and tries again as if nobody listened. So is whoever
 * finds no place ({@link ConnectionLimit}). Thread-safe.
 */
final class LateServices extends HandlerRegistry {
  private final Gate gate;
  private volatile Map<String, ServerMethodDefinition<?, ?>> methods = Map.of();

  /**
   * @param tls how connections are encrypted; empty if they are not
   */
  LateServices(ConnectionLimit places, TurnedAway turnedAway, Optional<Tls> tls) {
    this.gate = new Gate(places, turnedAway, tls);
  }

  /** Innermost: notes who has made a call that was let in. */
  ServerInterceptor letsIn() {
    return gate;
  }

  /** A socket to listen with; owned by the caller. */
  ServerSocketChannel listener() {
    ServerSocketChannel channel = new NioServerSocketChannel();
    channel.pipeline().addLast(gate);
    return channel;
  }

  /** From now on there is something. Once. */
  void offer(List<ServerServiceDefinition> services) {
    Map<String, ServerMethodDefinition<?, ?>> all = new HashMap<>();
    for (ServerServiceDefinition service : services) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        all.put(method.getMethodDescriptor().getFullMethodName(), method);
      }
    }
    methods = Map.copyOf(all);
    gate.open = true;
  }

  @Override
  public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
      String name, @Nullable String authority) {
    return methods.get(name);
  }

  /** Sits in front of gRPC's own handler where sockets are accepted. */
  @ChannelHandler.Sharable
  @SuppressWarnings("FutureReturnValueIgnored") // A listener's future is the channel's own.
  private static final class Gate extends ChannelInboundHandlerAdapter
      implements ServerInterceptor {
    private final ConnectionLimit places;
    private final TurnedAway turnedAway;
    private final Optional<Tls> tls;
    private final Map<SocketAddress, ConnectionLimit.Place> byPeer = new ConcurrentHashMap<>();
    private volatile boolean open;

    Gate(ConnectionLimit places, TurnedAway turnedAway, Optional<Tls> tls) {
      this.places = places;
      this.turnedAway = turnedAway;
      this.tls = tls;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      SocketChannel accepted = (SocketChannel) message;
      InetSocketAddress from = accepted.remoteAddress();
      // Gone already, if it has no address any more.
      if (!open || from == null) {
        accepted.unsafe().closeForcibly();
        return;
      }
      ConnectionLimit.Place place = places.add(from.getAddress());
      if (place == null) {
        turnedAway.note(from.getAddress());
        accepted.unsafe().closeForcibly();
        return;
      }
      byPeer.put(from, place);
      accepted
          .closeFuture()
          .addListener(
              closed -> {
                byPeer.remove(from, place);
                place.close();
              });
      tls.ifPresent(encrypted -> encrypted.refused().watch(accepted));
      context.fireChannelRead(message);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      SocketAddress from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
      ConnectionLimit.Place place = from == null ? null : byPeer.get(from);
      if (place != null) {
        place.letIn();
      }
      return next.startCall(call, headers);
    }
  }
}

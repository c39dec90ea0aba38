package io.sluice.coordinator.grpc;

import com.sun.management.UnixOperatingSystemMXBean;
import io.grpc.HandlerRegistry;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a server offers that holds its port before it has anything to offer: until then whoever
 * connects is turned away without a word, and tries again as if nobody listened. So is whoever
 * comes when there are as many connections as the process may have: who leads needs files of its
 * own, or a crowd that only connects would depose it. Thread-safe.
 */
final class LateServices extends HandlerRegistry {
  /** Files that are not these connections: ZooKeeper's, HTTP's, libraries', logs. */
  private static final long OTHER_FILES = 1_000;

  private final Gate gate;
  private volatile Map<String, ServerMethodDefinition<?, ?>> methods = Map.of();

  LateServices() {
    this(connectionsAllowed());
  }

  /**
   * @param connections at most at a time
   */
  LateServices(long connections) {
    this.gate = new Gate(connections);
  }

  /** What the limit of open files leaves, but half of it at least. */
  private static long connectionsAllowed() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? Math.max(
            system.getMaxFileDescriptorCount() / 2,
            system.getMaxFileDescriptorCount() - OTHER_FILES)
        : Long.MAX_VALUE;
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
  private static final class Gate extends ChannelInboundHandlerAdapter {
    private final long most;
    private final AtomicLong connections = new AtomicLong();
    private volatile boolean open;

    Gate(long most) {
      this.most = most;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Channel accepted = (Channel) message;
      if (!open || connections.get() >= most) {
        accepted.unsafe().closeForcibly();
        return;
      }
      connections.incrementAndGet();
      accepted.closeFuture().addListener(closed -> connections.decrementAndGet());
      context.fireChannelRead(message);
    }
  }
}

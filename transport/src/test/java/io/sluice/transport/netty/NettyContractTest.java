package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataPlaneContractTest;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The contract over loopback sockets. */
abstract class NettyContractTest extends DataPlaneContractTest {
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops serverLoops;
  private final EventLoops clientLoops;
  private @Nullable NettyServer server;

  NettyContractTest(boolean epoll) {
    serverLoops = EventLoops.open("server", 2, alloc, Clock.system(), epoll);
    clientLoops = EventLoops.open("client", 1, alloc, Clock.system(), epoll);
  }

  NettyServer server() {
    if (server == null) {
      throw new IllegalStateException();
    }
    return server;
  }

  @Override
  protected void listen(ServerSettings settings, ServerSessionFactory factory) {
    server =
        NettyServer.bind(
            serverLoops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            settings,
            factory);
  }

  @Override
  protected void connect(@Nullable ServerId expected, ClientSession session) {
    new NettyConnector(
            clientLoops,
            new ClientSettings(
                new UUID(7, 8), ClientAuthenticator.none(), ConnectionTimeouts.defaults()),
            Runnable::run)
        .connect("localhost", server().address().getPort(), expected, session);
  }

  @Override
  protected CompletableFuture<Void> goAway() {
    return server().goAway();
  }

  @Override
  protected void stop() {
    server().close();
    clientLoops.close();
    serverLoops.close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
    assertThat(alloc.metric().usedHeapMemory()).isZero();
  }
}

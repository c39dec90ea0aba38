package io.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.id.ServerId;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The contract over loopback sockets, whatever runs on them. */
public abstract class SocketContractTest extends DataPlaneContractTest {
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private @Nullable EventLoops serverLoops;
  private @Nullable EventLoops clientLoops;
  private @Nullable DataServer server;
  private final List<RecordingClient> clients = new CopyOnWriteArrayList<>();

  protected abstract EventLoops open(String name, int threads, UnpooledByteBufAllocator buffers);

  protected abstract DataServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory factory);

  protected abstract DataConnector connector(
      EventLoops loops, ClientSettings settings, Executor nameLookups);

  private static <T> T there(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException();
    }
    return thing;
  }

  @Override
  protected void listen(ServerSettings settings, ServerSessionFactory factory) {
    serverLoops = open("server", 2, alloc);
    clientLoops = open("client", 1, alloc);
    server =
        bind(
            serverLoops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            forServer(settings),
            factory);
  }

  /** What the server's end really gets. */
  protected ServerSettings forServer(ServerSettings settings) {
    return settings;
  }

  /** What the client's end gets. */
  protected ClientSettings forClient() {
    return new ClientSettings(
        new UUID(7, 8), ClientAuthenticator.none(), ConnectionTimeouts.defaults());
  }

  @Override
  protected void connect(@Nullable ServerId expected, ClientSession session) {
    clients.add((RecordingClient) session);
    connector(there(clientLoops), forClient(), Runnable::run)
        .connect("localhost", there(server).address().getPort(), expected, session);
  }

  @Override
  protected CompletableFuture<Void> goAway() {
    return there(server).goAway();
  }

  @Override
  protected void stop() throws InterruptedException {
    there(server).close();
    for (RecordingClient client : clients) {
      // An event loop that ends takes no more tasks, the last ones of a connection among them.
      client.awaitClosed();
    }
    there(clientLoops).close();
    there(serverLoops).close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
    assertThat(alloc.metric().usedHeapMemory()).isZero();
  }
}

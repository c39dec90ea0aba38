package io.sluice.transport.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.time.Clock;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.SocketContractTest;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/** The contract over plain sockets. */
abstract class NettyContractTest extends SocketContractTest {
  private final boolean epoll;

  NettyContractTest(boolean epoll) {
    this.epoll = epoll;
  }

  @Override
  protected EventLoops open(String name, int threads, UnpooledByteBufAllocator buffers) {
    return EventLoops.open(name, threads, buffers, Clock.system(), epoll);
  }

  @Override
  protected DataServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory factory) {
    return NettyServer.bind(loops, address, settings, factory);
  }

  @Override
  protected DataConnector connector(
      EventLoops loops, ClientSettings settings, Executor nameLookups) {
    return new NettyConnector(loops, settings, nameLookups);
  }
}

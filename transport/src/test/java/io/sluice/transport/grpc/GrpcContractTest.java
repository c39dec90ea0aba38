package io.sluice.transport.grpc;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.SocketContractTest;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/** The contract over gRPC. */
class GrpcContractTest extends SocketContractTest {
  @Override
  protected EventLoops open(String name, int threads, UnpooledByteBufAllocator buffers) {
    return EventLoops.open(name, threads, buffers, Clock.system());
  }

  @Override
  protected DataServer bind(
      EventLoops loops,
      InetSocketAddress address,
      ServerSettings settings,
      ServerSessionFactory factory) {
    return GrpcServer.bind(
        loops, address, settings, factory, new ConnectionCount(settings.limits().maxConnections()));
  }

  @Override
  protected DataConnector connector(
      EventLoops loops, ClientSettings settings, Executor nameLookups) {
    return new GrpcConnector(loops, settings, nameLookups);
  }
}

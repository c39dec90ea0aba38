package io.sluice.transport.netty;

import io.netty.channel.epoll.Epoll;
import io.sluice.transport.SecuredEnds;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;

/** The contract over plain sockets where both ends prove themselves, over mutual TLS. */
final class SecuredNettyContractTest extends NettyContractTest {
  SecuredNettyContractTest() {
    super(Epoll.isAvailable());
  }

  @Override
  protected ServerSettings forServer(ServerSettings settings) {
    return SecuredEnds.server(settings);
  }

  @Override
  protected ClientSettings forClient() {
    return SecuredEnds.client();
  }
}

package io.sluice.transport.grpc;

import io.sluice.transport.SecuredEnds;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerSettings;

/** The contract over gRPC where both ends prove themselves, over mutual TLS. */
final class SecuredGrpcContractTest extends GrpcContractTest {
  @Override
  protected ServerSettings forServer(ServerSettings settings) {
    return SecuredEnds.server(settings);
  }

  @Override
  protected ClientSettings forClient() {
    return SecuredEnds.client();
  }
}

package io.sluice.cli.cluster;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsContexts;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.proto.auth.ControlKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Ways to coordinators, as whoever may ask them. Immutable. */
public final class CoordinatorChannels {
  private static final long KEEPALIVE_SECONDS = 10;

  /** Kept, since a logger that nobody has forgets its level. */
  private static final Logger CHANNELS = Logger.getLogger("io.grpc.internal.ManagedChannelImpl");

  private final List<ClientInterceptor> identity;
  private final Optional<SslContext> tls;

  private CoordinatorChannels(List<ClientInterceptor> identity, Optional<SslContext> tls) {
    this.identity = identity;
    this.tls = tls;
  }

  /** To coordinators that ask for no proof. */
  public static CoordinatorChannels open() {
    return new CoordinatorChannels(List.of(), Optional.empty());
  }

  /**
   * To coordinators of a cluster.
   *
   * @param clusterKey file of the cluster's key; empty where security is off
   * @param tls files to encrypt with; empty where TLS is off
   * @throws io.sluice.common.error.SluiceException INVALID_CONFIGURATION if one cannot be used
   */
  static CoordinatorChannels with(Optional<Path> clusterKey, Optional<TlsFiles> tls) {
    return new CoordinatorChannels(
        clusterKey.map(file -> ControlKey.attach(ClusterKey.read(file).own().controlKey())).stream()
            .toList(),
        tls.map(files -> TlsContexts.grpcClient(new Tls(TlsMaterial.open(files), false))));
  }

  /**
   * Leaves it to commands to say what has failed. Channels log a name that does not resolve as
   * well, with a stack trace, to standard error.
   */
  static void quiet() {
    CHANNELS.setLevel(Level.OFF);
  }

  /** A channel, which the caller shuts down. */
  ManagedChannel to(String coordinator) {
    quiet();
    NettyChannelBuilder builder = NettyChannelBuilder.forTarget(coordinator);
    return tls.map(builder::sslContext)
        .orElseGet(builder::usePlaintext)
        .intercept(identity)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .build();
  }
}

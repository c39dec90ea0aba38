package io.sluice.common.tls;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Contexts, each made once: managers in them change what they answer when certificates do. Clients
 * check that a server's certificate names the host that they dialled. The one place where contexts
 * are made, for data and control plane; it needs Netty, and gRPC's for that, which whoever speaks
 * TLS has.
 */
public final class TlsContexts {
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  private TlsContexts() {}

  /** For a server over plain sockets. */
  public static SslContext server(Tls tls) {
    return build(serverBuilder(tls).sslProvider(SslProvider.JDK));
  }

  /** For a client over plain sockets. */
  public static SslContext client(Tls tls) {
    return build(clientBuilder(tls).sslProvider(SslProvider.JDK));
  }

  /** For a server of gRPC. */
  public static SslContext grpcServer(Tls tls) {
    return build(GrpcSslContexts.configure(serverBuilder(tls), SslProvider.JDK));
  }

  /** For a client of gRPC. */
  public static SslContext grpcClient(Tls tls) {
    return build(GrpcSslContexts.configure(clientBuilder(tls), SslProvider.JDK));
  }

  private static SslContextBuilder serverBuilder(Tls tls) {
    X509ExtendedKeyManager own =
        tls.material()
            .keyManager()
            .orElseThrow(
                () ->
                    new SluiceException(
                        ErrorCode.INVALID_CONFIGURATION, "a server needs a certificate for TLS"));
    return SslContextBuilder.forServer(own)
        .trustManager(tls.material().trustManager())
        .clientAuth(tls.clientCertificates() ? ClientAuth.REQUIRE : ClientAuth.NONE)
        .protocols(VERSIONS);
  }

  private static SslContextBuilder clientBuilder(Tls tls) {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .trustManager(tls.material().trustManager())
            .endpointIdentificationAlgorithm("HTTPS")
            .protocols(VERSIONS);
    tls.material().keyManager().ifPresent(builder::keyManager);
    return builder;
  }

  private static SslContext build(SslContextBuilder builder) {
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "TLS cannot be used here: " + e.getMessage(), e);
    }
  }
}

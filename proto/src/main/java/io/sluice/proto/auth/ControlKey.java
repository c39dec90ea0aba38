package io.sluice.proto.auth;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.Optional;

/** The header of a control call that shows on whose behalf it is made. */
public final class ControlKey {
  private static final Metadata.Key<byte[]> HEADER =
      Metadata.Key.of("sluice-control-key-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private ControlKey() {}

  /** Adds the header to every call of a channel. */
  public static ClientInterceptor attach(byte[] key) {
    Metadata headers = new Metadata();
    headers.put(HEADER, key.clone());
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  /** The key that a call came with. */
  public static Optional<byte[]> of(Metadata headers) {
    return Optional.ofNullable(headers.get(HEADER));
  }
}

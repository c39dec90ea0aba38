package io.sluice.proto.error;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.sluice.proto.control.v1.ErrorDetail;
import java.util.Optional;

/** The trailer that carries an {@link ErrorDetail} beside a gRPC status. */
public final class ErrorTrailer {
  private static final Metadata.Key<ErrorDetail> KEY =
      Metadata.Key.of(
          "sluice-error-bin", ProtoUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

  private ErrorTrailer() {}

  /** What a service fails a call with. */
  public static StatusRuntimeException toException(Status.Code status, ErrorDetail detail) {
    Metadata trailers = new Metadata();
    trailers.put(KEY, detail);
    return status.toStatus().withDescription(detail.getMessage()).asRuntimeException(trailers);
  }

  /**
   * The detail of a failed call; empty if the failure came from the network or from gRPC itself, or
   * if the trailer cannot be read. Never throws.
   */
  public static Optional<ErrorDetail> read(Throwable failure) {
    try {
      return Optional.ofNullable(Status.trailersFromThrowable(failure)).map(t -> t.get(KEY));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }
}

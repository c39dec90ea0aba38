package io.sluice.transport.grpc;

import io.grpc.Detachable;
import io.grpc.MethodDescriptor;
import java.io.InputStream;

/**
 * The one method: a call of it is a connection, its messages are pieces of the connection's bytes.
 *
 * <p>Sizes. gRPC hands a message over when it is there as a whole, and copies what is sent before
 * HTTP/2 takes it. So a connection holds, beside what Sluice accounts for, at most one message that
 * arrives, one that leaves, and what has left and not been taken.
 */
final class ByteStream {
  /** Longest message, so that it fits a buffer of 64 KiB together with gRPC's five bytes. */
  static final int MESSAGE_BYTES = 64 * 1024 - 5;

  /** Bytes given to gRPC that have not left, from which on nothing more is given. */
  static final int READY_BYTES = 64 * 1024;

  /**
   * HTTP/2's flow-control window, of a stream and of a connection. What arrives is consumed at
   * once, so this bounds what is on the wire and not what is held: 3 ms at 10 Gbit/s.
   */
  static final int WINDOW_BYTES = 4 * 1024 * 1024;

  /** Longest header block: ours have a few hundred bytes, proxies add some. */
  static final int METADATA_BYTES = 8 * 1024;

  static final String SERVICE = "sluice.data.v1.DataPlane";

  static final MethodDescriptor<InputStream, InputStream> METHOD =
      MethodDescriptor.<InputStream, InputStream>newBuilder(new Unchanged(), new Unchanged())
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Connect"))
          .build();

  private ByteStream() {}

  /** Bytes stay bytes. What was parsed belongs to the listener, which closes it. */
  private static final class Unchanged implements MethodDescriptor.Marshaller<InputStream> {
    @Override
    public InputStream stream(InputStream message) {
      return message;
    }

    @Override
    public InputStream parse(InputStream message) {
      return message instanceof Detachable ? ((Detachable) message).detach() : message;
    }
  }
}

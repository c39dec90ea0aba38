package io.sluice.transport.grpc;

import java.io.InputStream;

/** One end of a call, as the two sides' classes of gRPC have it in common. On its event loop. */
interface CallEnd {
  /** Whether gRPC takes another message: false while {@link ByteStream#READY_BYTES} wait. */
  boolean isReady();

  void send(InputStream message);

  /** What the proof of either side is bound to, once there is a connection; may be empty. */
  byte[] binding();

  /** Ends the output, behind what was sent. */
  void end();

  /** Ends the call at once. */
  void abort();
}

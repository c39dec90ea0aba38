package io.sluice.server.fetch;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.OutgoingData;

/** What a stream needs of its connection. On the event loop. */
interface StreamOutput {
  int readBufferBytes();

  /** Sends a piece; takes it over. */
  void data(int stream, int partition, OutgoingData data);

  void ended(int stream, long blocks, long bytes);

  void failed(int stream, ErrorCode code, String message);

  /**
   * Begins to read the next bytes of an extent; the stream steps again when they are there. False
   * if no buffer is free; the stream steps again when one is.
   */
  boolean read(FetchStream stream, ExtentWork work, int length);
}

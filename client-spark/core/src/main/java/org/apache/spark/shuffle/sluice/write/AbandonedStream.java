package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.serializer.SerializationStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a stream of which nobody wants more bytes: its task failed, or has all of them. */
final class AbandonedStream {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedStream.class);

  private AbandonedStream() {}

  /**
   * Lets the stream give back what it holds, whatever state the task left it in. What it throws is
   * of no interest, and must not take the place of what the task failed of; an Error comes through.
   */
  static void close(@Nullable SerializationStream stream) {
    try {
      if (stream != null) {
        stream.close();
      }
    } catch (Exception e) { // Scala throws checked ones undeclared.
      LOG.debug("A stream that nobody wants did not end well", e);
    }
  }
}

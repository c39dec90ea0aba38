package io.sluice.server.fetch;

/** A part of what a stream has to send, of one partition. On the connection's event loop. */
sealed interface Work permits MemoryWork, ExtentWork {
  int partition();

  /** Gives up; buffers go back when their reads have ended. */
  void close();
}

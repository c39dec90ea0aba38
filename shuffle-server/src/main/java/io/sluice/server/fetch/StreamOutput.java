package io.sluice.server.fetch;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.damage.LookWait;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.MemoryPieces;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.OutgoingData;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a stream needs of its connection. On the event loop. */
interface StreamOutput {
  int readBufferBytes();

  /** Whether more than half of the read buffers of a store are free. */
  boolean hasReadBuffersToSpare(SegmentStore store);

  /** Where pieces of what is in memory come from. */
  MemoryPieces pieces();

  /** A stream's right to lease what is in memory; the stream closes it. */
  StreamLease lease(FetchStream stream);

  /** Sends a piece; takes it over. */
  void data(int stream, int partition, OutgoingData data);

  void ended(int stream, long blocks, long bytes);

  void failed(int stream, ErrorCode code, String message);

  /**
   * Joins a stream to those that read the same extents; null if there is no use in it.
   *
   * @param extents of the partition, in its order
   */
  @Nullable Passage join(
      FetchStream stream, PartitionBuffer partition, MapRange maps, List<StoredExtent> extents);

  /**
   * Waits until a partition is looked through for damage; null if that is not about to be done.
   *
   * @param nanos how long, at most; the stream steps again then. It closes the wait if it ends
   *     first
   */
  @Nullable LookWait awaitLook(FetchStream stream, PartitionBuffer partition, long nanos);

  /**
   * Begins to read the next bytes of an extent; the stream steps again when they are there. False
   * if no buffer is free; the stream steps again when one is.
   */
  boolean read(FetchStream stream, ExtentWork work, int length);
}

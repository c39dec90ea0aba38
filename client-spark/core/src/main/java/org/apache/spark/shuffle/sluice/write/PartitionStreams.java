package org.apache.spark.shuffle.sluice.write;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.write.DrainCount.Why;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * A stream for each partition, all of them open at once. When one has half a block it is completed
 * and pushed, and the partition's next record begins another: so every piece that a reader gets is
 * a whole stream, whatever else its map wrote.
 *
 * <p>The arrays behind the streams are under Spark's task memory manager. When it refuses more, or
 * another consumer of the task asks while upstream code runs between two records, or there would be
 * more than {@code maxBufferedBytes}, all streams are completed, pushed and given back; the last is
 * no spill, for memory was not short. Used by the task's thread.
 */
final class PartitionStreams extends MemoryConsumer implements AutoCloseable {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

  // Memory is asked for in such steps, in bytes, and not at every growth of an array.
  private static final long STEP = 256 << 10;

  private final SerializerInstance serializer;
  private final PushPipeline pipeline;
  private final long maxBufferedBytes;
  private final MemoryReport report;
  private final @Nullable Open[] streams;
  private final Thread owner = Thread.currentThread();
  private long buffered;
  private final DrainCount drained = new DrainCount();
  // A stream is between two of a record's bytes, or of a block's.
  private boolean busy;
  // A stream could not be completed: what it has is not to be pushed, nor anything behind it.
  private boolean torn;
  // Why not.
  private @Nullable Throwable failure;

  /**
   * @param report told of the memory that is held, and given back
   */
  PartitionStreams(
      TaskMemoryManager memory,
      SerializerInstance serializer,
      PushPipeline pipeline,
      int partitions,
      long maxBufferedBytes,
      MemoryReport report) {
    super(memory, MemoryMode.ON_HEAP); // whatever Spark's rows are in
    this.serializer = serializer;
    this.pipeline = pipeline;
    this.maxBufferedBytes = maxBufferedBytes;
    this.report = report;
    this.streams = new Open[partitions];
  }

  void write(int partition, Object key, Object value) throws IOException {
    Open open = streams[partition];
    if (open == null) {
      open = new Open();
      streams[partition] = open;
      buffered += open.bytes.capacity();
    } else if (open.bytes.size() >= pipeline.maxRawBytes() / 2) {
      push(partition, open, 0);
    }
    int before = open.bytes.capacity();
    busy = true;
    try {
      open.write(serializer, key, value);
    } finally {
      busy = false;
    }
    buffered += open.bytes.capacity() - before;
    if (buffered > getUsed()) {
      reserve();
    }
  }

  /** Completes and pushes everything: no partition has more. */
  void finish() throws IOException {
    pushAll(BlockHeader.LAST);
    freeMemory(getUsed());
    reportMemory();
  }

  private void reserve() throws IOException {
    Why why = Why.OURS;
    if (buffered <= maxBufferedBytes) {
      long wanted = buffered - getUsed() + STEP;
      long granted = acquireMemory(wanted);
      if (granted == wanted) {
        drained.held(getUsed());
        return;
      }
      freeMemory(granted);
      why = Why.SPARKS;
    }
    giveBack(why);
  }

  private void giveBack(Why why) throws IOException {
    drained.drained(getUsed(), why);
    pushAll(0);
    freeMemory(getUsed());
    reportMemory();
  }

  private void pushAll(int lastFlag) throws IOException {
    for (int partition = 0; partition < streams.length; partition++) {
      Open open = streams[partition];
      if (open != null) {
        push(partition, open, lastFlag);
        streams[partition] = null;
      }
    }
    buffered = 0;
    pipeline.flush();
  }

  private void push(int partition, Open open, int lastFlag) throws IOException {
    if (torn) {
      throw new WentOnException(
          "a serializer's stream did not end, and what it threw was caught: its records are lost",
          failure);
    }
    int before = open.bytes.capacity();
    busy = true;
    torn = true;
    try {
      open.complete();
      open.bytes.push(pipeline, partition, open.records, lastFlag);
      open.records = 0;
      torn = false;
    } catch (Throwable e) { // Scala's streams throw what they do not declare.
      failure = e;
      throw e;
    } finally {
      busy = false;
    }
    buffered += open.bytes.capacity() - before;
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) throws IOException {
    if (trigger == this || busy || Thread.currentThread() != owner) {
      return 0;
    }
    long before = getUsed();
    giveBack(Why.SPARKS);
    return before;
  }

  private void reportMemory() {
    report.update(drained.peakBytes(), drained.spilledBytes());
  }

  /** Gives everything back, pushed or not. An Error of a stream comes out when that is done. */
  @Override
  public void close() {
    Error failure = null;
    for (Open open : streams) {
      try {
        if (open != null) {
          open.abandon();
        }
      } catch (Error e) {
        failure = failure == null ? e : failure;
      }
    }
    Arrays.fill(streams, null);
    buffered = 0;
    freeMemory(getUsed());
    reportMemory();
    if (failure != null) {
      throw failure;
    }
  }

  /** One partition's array, and the stream into it while there is one. */
  private static final class Open {
    private final SerializedBytes bytes = new SerializedBytes();
    private @Nullable SerializationStream stream;
    private int records;

    void write(SerializerInstance serializer, Object key, Object value) {
      SerializationStream into = stream;
      if (into == null) {
        into = serializer.serializeStream(bytes);
        stream = into;
      }
      into.writeKey(key, ANY);
      into.writeValue(value, ANY);
      records++;
    }

    void complete() {
      SerializationStream written = stream;
      stream = null;
      if (written != null) {
        written.close();
      }
    }

    void abandon() {
      SerializationStream unwanted = stream;
      stream = null;
      AbandonedStream.close(unwanted);
    }
  }
}

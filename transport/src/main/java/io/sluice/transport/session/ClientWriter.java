package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.InventoryEntries;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.ReplicaFrames;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A client's link: encodes its calls and remembers what the server may answer about. */
final class ClientWriter implements ClientLink {
  /** How the connection is ended; called on the event loop. */
  interface Closer {
    void close();

    void abort(SluiceException cause);
  }

  /** A stream that has not ended. */
  static final class Stream {
    long credit;
    long received;
    boolean open = true;

    Stream(long credit) {
      this.credit = credit;
    }
  }

  private final Outbox outbox;
  private final Closer closer;
  private final IntObjectHashMap<Stream> streams = new IntObjectHashMap<>();
  private int version;
  private int maxHandles;
  private int openHandles;
  private int lastHandle = -1;
  private int lastStream = -1;
  private long blocksSent;

  ClientWriter(Outbox outbox, Closer closer) {
    this.outbox = outbox;
    this.closer = closer;
  }

  /** What WELCOME said. */
  void agreed(int agreedVersion, int handles) {
    version = agreedVersion;
    maxHandles = handles;
  }

  long blocksSent() {
    return blocksSent;
  }

  int lastStream() {
    return lastStream;
  }

  @Nullable Stream stream(int stream) {
    return streams.get(stream);
  }

  void streamEnded(int stream) {
    streams.remove(stream);
  }

  @Override
  public Executor executor() {
    return outbox.output().executor();
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    if (!others.isEmpty() && version < ReplicaFrames.SINCE) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED_VERSION, "the server is too old to replicate: version " + version);
    }
    if (handle <= lastHandle) {
      throw invalid("handle " + handle + " after " + lastHandle);
    }
    if (openHandles >= maxHandles) {
      throw new SluiceException(
          ErrorCode.TOO_MANY_HANDLES, "the server allows " + maxHandles + " on a connection");
    }
    lastHandle = handle;
    openHandles++;
    if (outbox.isOpen()) {
      ReplicaFrames.open(outbox.small(), handle, shuffle, incarnation, others);
    }
  }

  @Override
  public int maxHandles() {
    return maxHandles;
  }

  @Override
  public void release(int handle) {
    openHandles--;
    if (outbox.isOpen()) {
      // It overtakes others' bulk like OPEN does, or the server would count one handle too many.
      ByteBuf frame = outbox.behind(handle, FrameHeader.LENGTH);
      Frames.empty(frame, FrameType.RELEASE, handle, 0);
    }
  }

  @Override
  public void push(int handle, int blockCount, ByteBuf blocks) {
    checkPush(blockCount, blocks.readableBytes());
    blocksSent += blockCount;
    outbox.bulk(SendQueue.Entry.push(handle, blockCount, blocks.retainedDuplicate()));
  }

  @Override
  public void push(int handle, int blockCount, OutgoingData blocks) {
    try {
      checkPush(blockCount, blocks.length());
    } catch (SluiceException refused) {
      blocks.close();
      throw refused;
    }
    blocksSent += blockCount;
    outbox.bulk(SendQueue.Entry.push(handle, blockCount, blocks));
  }

  private static void checkPush(int blockCount, int length) {
    if (length > TransportLimits.MAX_PUSH_BYTES || blockCount < 1) {
      throw invalid("push of " + blockCount + " blocks, " + length + " bytes");
    }
  }

  @Override
  public void want(long bytes) {
    number(FrameType.WANT, 0, bytes);
  }

  @Override
  public void returnCredit(long bytes) {
    number(FrameType.RETURN, 0, bytes);
  }

  private void number(FrameType type, int subject, long value) {
    if (outbox.isOpen()) {
      Frames.number(outbox.small(), type, subject, value);
    }
  }

  @Override
  public void fetch(FetchRequest request) {
    if (request.stream() <= lastStream) {
      throw invalid("stream " + request.stream() + " after " + lastStream);
    }
    if (request.endPartition() <= request.firstPartition()
        || request.endMap() <= request.firstMap()) {
      throw invalid("fetch of nothing");
    }
    lastStream = request.stream();
    streams.put(request.stream(), new Stream(request.credit()));
    if (outbox.isOpen()) {
      Frames.fetch(outbox.small(), request);
    }
  }

  @Override
  public void inventory(int stream, int handle, int firstMap) {
    if (stream <= lastStream) {
      throw invalid("stream " + stream + " after " + lastStream);
    }
    if (FrameType.INVENTORY.since() > version) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED_VERSION, "the server is too old to say what it has: " + version);
    }
    lastStream = stream;
    streams.put(stream, new Stream(InventoryEntries.MAX_BYTES));
    if (outbox.isOpen()) {
      Frames.inventory(outbox.small(), stream, handle, firstMap);
    }
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    Stream open = streams.get(stream);
    if (open != null) {
      open.credit += bytes;
      number(FrameType.FETCH_CREDIT, stream, bytes);
    }
  }

  @Override
  public void fetchCancel(int stream) {
    Stream open = streams.remove(stream);
    if (open != null) {
      open.open = false;
      if (outbox.isOpen()) {
        Frames.empty(outbox.small(), FrameType.FETCH_CANCEL, stream, 0);
      }
    }
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    if (stream > lastStream) {
      throw invalid("stream " + stream + " was never begun");
    }
    if (outbox.isOpen() && FrameType.DAMAGED.since() <= version) {
      Frames.damaged(outbox.small(), stream, block);
    }
  }

  @Override
  public boolean isWritable() {
    return outbox.isWritable();
  }

  @Override
  public void flush() {
    outbox.flush();
  }

  @Override
  public void close() {
    executor().execute(closer::close);
  }

  @Override
  public void abort(SluiceException cause) {
    executor().execute(() -> closer.abort(cause));
  }

  private static SluiceException invalid(String what) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, what);
  }
}

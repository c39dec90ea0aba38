package io.sluice.client.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.push.HandleTable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fetch half of a connection: streams that wait for it and streams under way on it. Streams do
 * not outlive their connection; whoever reads asks again. On the event loop only.
 */
final class StreamTable {
  private final HandleTable handles;
  private final ArrayDeque<FetchStream> waiting = new ArrayDeque<>();
  private final IntObjectMap<FetchStream> open = new IntObjectHashMap<>();
  private final ArrayList<FetchStream> touched = new ArrayList<>();
  private int nextNumber;

  StreamTable(HandleTable handles) {
    this.handles = handles;
  }

  boolean isIdle() {
    return waiting.isEmpty() && open.isEmpty();
  }

  boolean hasOpen() {
    return !open.isEmpty();
  }

  void add(FetchStream stream) {
    waiting.addLast(stream);
  }

  /** Sends the requests of the streams that wait, as far as the server allows handles. */
  void pump(ClientLink link) {
    FetchStream stream;
    while ((stream = waiting.peekFirst()) != null) {
      StreamSpec spec = stream.spec();
      HandleTable.Handle handle = handles.acquire(spec.shuffle(), spec.incarnation(), link);
      if (handle == null) {
        return;
      }
      waiting.removeFirst();
      begin(stream, handle, link);
    }
  }

  private void begin(FetchStream stream, HandleTable.Handle handle, ClientLink link) {
    int number = nextNumber++;
    stream.began(number, handle, link);
    open.put(number, stream);
    try {
      stream.spec().request(link, number, handle.number(), stream.initialCredit());
    } catch (SluiceException tooOld) {
      open.remove(number);
      if (stream.finish()) {
        stream.sink().failed(tooOld);
      }
    }
  }

  void data(int number, int partition, ByteBuffer bytes, int offset, int length, ClientLink link) {
    FetchStream stream = open.get(number);
    if (stream == null) {
      return; // Cancelled, and this was under way.
    }
    if (stream.touch()) {
      touched.add(stream);
    }
    try {
      stream.sink().data(partition, bytes, offset, length);
    } catch (SluiceException notBlocks) {
      if (notBlocks.code() == ErrorCode.CORRUPT_BLOCK) {
        link.damaged(number, DamagedBlock.ofPartition(stream.spec().shuffle(), partition));
      }
      cancel(stream, link);
      stream.sink().failed(notBlocks);
    }
  }

  void readComplete() {
    for (FetchStream stream : touched) {
      stream.untouch();
      if (!stream.isDone()) {
        stream.sink().readComplete();
      }
    }
    touched.clear();
  }

  void ended(int number, long blocks) {
    FetchStream stream = open.remove(number);
    if (stream != null && stream.finish()) {
      stream.sink().ended(blocks);
    }
  }

  void failed(int number, ErrorCode code, String message) {
    FetchStream stream = open.remove(number);
    if (stream != null && stream.finish()) {
      stream.sink().failed(new SluiceException(code, message));
    }
  }

  /** Stops a stream without telling its sink, which asked for it. */
  void cancel(FetchStream stream, @Nullable ClientLink link) {
    if (!stream.finish()) {
      return;
    }
    if (stream.number() < 0) {
      waiting.remove(stream);
    } else if (open.remove(stream.number()) != null && link != null) {
      link.fetchCancel(stream.number());
    }
  }

  /** The connection is gone: what was under way fails, what waits goes on waiting. */
  void disconnected(SluiceException cause) {
    nextNumber = 0;
    touched.clear();
    List<FetchStream> streams = new ArrayList<>(open.values());
    open.clear();
    for (FetchStream stream : streams) {
      if (stream.finish()) {
        stream.sink().failed(cause);
      }
    }
  }

  /** There is no connection and it does not look as if there will be one soon. */
  void troubled() {
    waiting.forEach(stream -> stream.sink().troubled());
  }

  /** Gives up everything: there will be no connection for it. */
  void giveUpAll(SluiceException cause) {
    disconnected(cause);
    List<FetchStream> streams = new ArrayList<>(waiting);
    waiting.clear();
    for (FetchStream stream : streams) {
      if (stream.finish()) {
        stream.sink().givenUp(cause);
      }
    }
  }
}

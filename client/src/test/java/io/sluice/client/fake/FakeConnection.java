package io.sluice.client.fake;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Both ends of one connection. What either side says arrives in order, each message after a delay
 * of its own; when the connection drops, what is under way is lost.
 */
final class FakeConnection implements ClientLink {
  final FakeLoop loop;
  final Faults faults;
  final FakeServer server;
  private final ClientSession session;
  private final FakeIngest ingest;
  private final FakeStreams streams;
  private final ArrayDeque<ByteBuf> underWay = new ArrayDeque<>();
  private long lastUp;
  private long lastDown;
  private int downQueued;
  private boolean alive = true;

  FakeConnection(FakeLoop loop, Faults faults, FakeServer server, ClientSession session) {
    this.loop = loop;
    this.faults = faults;
    this.server = server;
    this.session = session;
    this.ingest = new FakeIngest(this);
    this.streams = new FakeStreams(this);
  }

  /** Says that it is the server of an id. */
  void open(ServerId id) {
    server.connections.add(this);
    ingest.seed(server.seedCredit);
    session.connected(this, server.identity(id), server.seedCredit, server.maxBlockBytes);
  }

  boolean isAlive() {
    return alive;
  }

  void drop() {
    end(new SluiceException(ErrorCode.CONNECTION_LOST, "dropped by the test"));
  }

  private void end(SluiceException cause) {
    if (!alive) {
      return;
    }
    alive = false;
    server.connections.remove(this);
    underWay.forEach(ByteBuf::release);
    underWay.clear();
    loop.execute(() -> session.closed(cause));
  }

  // --------------------------------------------------------------------------- message passing

  private void up(Runnable message) {
    if (alive && !server.silent) {
      lastUp = Math.max(lastUp, arrival());
      loop.schedule(
          lastUp - loop.now(),
          () -> {
            if (alive) {
              message.run();
            }
          });
    }
  }

  private long arrival() {
    return Math.max(loop.now() + faults.delay(), server.frozenUntil);
  }

  void down(java.util.function.Consumer<ClientSession> message) {
    if (!alive || server.silent) {
      return;
    }
    downQueued++;
    lastDown = Math.max(lastDown, arrival());
    loop.schedule(
        lastDown - loop.now(),
        () -> {
          downQueued--;
          if (alive) {
            message.accept(session);
            if (downQueued == 0 || faults.random.nextBoolean()) {
              session.readComplete();
            }
          }
        });
  }

  // ------------------------------------------------------------------------------- client link

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    server.opens++;
    up(() -> ingest.open(handle, shuffle, incarnation, others));
  }

  @Override
  public int maxHandles() {
    return 4096;
  }

  @Override
  public void release(int handle) {
    up(() -> ingest.release(handle));
  }

  @Override
  public void push(int handle, int blockCount, ByteBuf blocks) {
    if (!alive || server.silent) {
      return;
    }
    underWay.add(blocks.retain());
    up(
        () -> {
          ByteBuf arrived = underWay.remove();
          byte[] bytes = new byte[arrived.readableBytes()];
          arrived.getBytes(arrived.readerIndex(), bytes);
          arrived.release();
          if (faults.happens(faults.dropConnectionPerPush)) {
            drop();
          } else {
            ingest.push(handle, blockCount, bytes);
          }
        });
  }

  @Override
  public void push(int handle, int blockCount, OutgoingData blocks) {
    throw new AssertionError("clients push from buffers");
  }

  @Override
  public void want(long bytes) {
    server.wanted += bytes;
    up(() -> ingest.want(bytes));
  }

  @Override
  public void returnCredit(long bytes) {
    server.returned += bytes;
    up(() -> ingest.returned(bytes));
  }

  @Override
  public void fetch(FetchRequest request) {
    up(() -> streams.fetch(request, ingest));
  }

  @Override
  public void inventory(int stream, int handle, int firstMap) {
    up(() -> streams.inventory(stream, firstMap));
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    server.fetchCredits++;
    up(() -> streams.credit(stream, bytes));
  }

  @Override
  public void fetchCancel(int stream) {
    up(() -> streams.cancel(stream));
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    up(
        () -> {
          server.damaged.add(block);
          server.onDamaged.run();
        });
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    end(new SluiceException(ErrorCode.CONNECTION_LOST, "closed by the client"));
  }

  @Override
  public void abort(SluiceException cause) {
    end(cause);
  }
}

package io.sluice.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcConnector;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A plain client over a real socket; pushes within its credit, one block per frame. */
final class SocketClient implements ClientSession, AutoCloseable {
  private static final long DEADLINE_SECONDS = 60;

  // Chunks of 256 KiB: there are many clients in a JVM, and pools of the usual size last until the
  // collector comes.
  private final EventLoops loops =
      EventLoops.open(
          "test-client",
          1,
          new PooledByteBufAllocator(true, 0, 1, 8192, 5, 0, 0, false),
          Clock.system());
  private final CompletableFuture<ClientLink> link = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Map<Integer, ByteArrayOutputStream> received = new TreeMap<>();
  private final CompletableFuture<Void> goodbye = new CompletableFuture<>();
  private CompletableFuture<Void> answered = new CompletableFuture<>();
  private CompletableFuture<Void> streamOver = new CompletableFuture<>();
  private CompletableFuture<ErrorCode> refusal = new CompletableFuture<>();
  private long unanswered;
  private volatile List<FailedReplica> failed = List.of();
  private int nextHandle;
  private int nextStream;
  private final CompletableFuture<ServerIdentity> server = new CompletableFuture<>();

  SocketClient(int port) {
    this(Transport.NETTY, port);
  }

  SocketClient(Transport transport, int port) {
    this(transport, port, ClientAuthenticator.none());
  }

  SocketClient(Transport transport, int port, ClientAuthenticator identity) {
    ClientSettings settings =
        new ClientSettings(UUID.randomUUID(), identity, ConnectionTimeouts.defaults());
    DataConnector connector =
        transport == Transport.GRPC
            ? new GrpcConnector(loops, settings, Runnable::run)
            : new NettyConnector(loops, settings, Runnable::run);
    connector.connect("localhost", port, null, this);
    try {
      await(link);
    } catch (SluiceException refused) {
      loops.close();
      throw refused;
    }
  }

  ServerIdentity server() {
    return await(server);
  }

  /** Pushes small blocks that fit the seed together, and waits for all answers. */
  void push(ShuffleKey shuffle, List<TestBlock> blocks) {
    pushAs(server().incarnation(), shuffle, blocks);
  }

  /** The same for a placement that names some incarnation. */
  void pushAs(long incarnation, ShuffleKey shuffle, List<TestBlock> blocks) {
    push(incarnation, shuffle, List.of(), blocks);
  }

  /** The same with other members of the set; what is refused names whose fault it is. */
  void pushReplicated(ShuffleKey shuffle, List<ReplicaMember> others, List<TestBlock> blocks) {
    push(server().incarnation(), shuffle, others, blocks);
  }

  private void push(
      long incarnation, ShuffleKey shuffle, List<ReplicaMember> others, List<TestBlock> blocks) {
    ClientLink to = await(link);
    CompletableFuture<Void> all = new CompletableFuture<>();
    to.executor()
        .execute(
            () -> {
              answered = all;
              unanswered = blocks.size();
              int handle = nextHandle++;
              to.open(handle, shuffle, incarnation, others);
              for (TestBlock block : blocks) {
                ByteBuf bytes = Unpooled.wrappedBuffer(block.bytes());
                to.push(handle, 1, bytes);
                bytes.release();
              }
              to.flush();
              releaseAfter(all, to, handle);
            });
    await(all);
  }

  /**
   * Whoever waits for a future may be the one to run what depends on it, so it is not enough that
   * the event loop completes it.
   */
  private static void releaseAfter(CompletableFuture<Void> end, ClientLink link, int handle) {
    CompletableFuture<?> unused = end.thenRunAsync(() -> link.release(handle), link.executor());
  }

  /** Asks for credit that it must not get; why not. */
  ErrorCode want() {
    ClientLink to = await(link);
    CompletableFuture<ErrorCode> answer = new CompletableFuture<>();
    to.executor()
        .execute(
            () -> {
              refusal = answer;
              to.want(1 << 20);
              to.flush();
            });
    return await(answer);
  }

  List<TestBlock> fetch(ShuffleKey shuffle, long incarnation, int partitions) {
    ClientLink to = await(link);
    CompletableFuture<Void> over = new CompletableFuture<>();
    to.executor()
        .execute(
            () -> {
              streamOver = over;
              received.clear();
              int handle = nextHandle++;
              to.open(handle, shuffle, incarnation);
              to.fetch(
                  new FetchRequest(
                      nextStream++, handle, 0, partitions, 0, Integer.MAX_VALUE, 1L << 30));
              to.flush();
              releaseAfter(over, to, handle);
            });
    await(over);
    List<TestBlock> blocks = new ArrayList<>();
    received
        .values()
        .forEach(out -> blocks.addAll(TestBlock.parse(ByteBuffer.wrap(out.toByteArray()))));
    return blocks;
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof SluiceException coded) {
        throw coded;
      }
      throw new AssertionError(e);
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError("nothing within the deadline", e);
    }
  }

  @Override
  public void connected(ClientLink made, ServerIdentity identity, long seed, int maxBlock) {
    server.complete(identity);
    link.complete(made);
  }

  @Override
  public void acked(long first, int count, long refund) {
    unanswered -= count;
    if (unanswered == 0) {
      answered.complete(null);
    }
  }

  @Override
  public void replicasFailed(List<FailedReplica> members) {
    failed = members;
  }

  /** Whom the server has blamed last. */
  List<FailedReplica> failed() {
    return failed;
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    answered.completeExceptionally(new SluiceException(code, "block refused"));
  }

  @Override
  public void granted(long bytes) {}

  @Override
  public void wantRefused(ErrorCode code) {
    refusal.complete(code);
  }

  @Override
  public void reclaimed(long bytes) {}

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    byte[] copy = new byte[length];
    bytes.get(offset, copy);
    received.computeIfAbsent(partition, p -> new ByteArrayOutputStream()).writeBytes(copy);
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    streamOver.complete(null);
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    streamOver.completeExceptionally(new SluiceException(code, message));
  }

  @Override
  public void writable() {}

  @Override
  public void readComplete() {}

  @Override
  public void goingAway() {
    goodbye.complete(null);
  }

  @Override
  public void closed(SluiceException cause) {
    link.completeExceptionally(cause);
    answered.completeExceptionally(cause);
    streamOver.completeExceptionally(cause);
    closed.complete(null);
  }

  /** Waits for the server to say that it is about to stop. */
  void awaitGoodbye() {
    await(goodbye);
  }

  /** Waits for the server to end the connection. */
  void awaitEnd() {
    await(closed);
  }

  @Override
  public void close() {
    await(link).close();
    awaitEnd();
    loops.close();
  }
}

package io.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What any carrier of the protocol does, seen from the sessions at its two ends. */
public abstract class DataPlaneContractTest {
  protected static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  protected static final int MAX_BLOCK = 1 << 20;
  protected static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(4, 5), 6, 0);
  private static final long SEED = 1 << 20;

  protected final List<StoringSession> sessions = new CopyOnWriteArrayList<>();

  /** Starts the server end. */
  protected abstract void listen(ServerSettings settings, ServerSessionFactory factory);

  protected abstract void connect(@Nullable ServerId expected, ClientSession session);

  /** Asks the clients to go; completes when they have. */
  protected abstract CompletableFuture<Void> goAway();

  /** Stops both ends, and checks that no buffer is held. Harmless when stopped. */
  protected abstract void stop() throws InterruptedException;

  @BeforeEach
  void start() {
    ServerSettings settings =
        new ServerSettings(
            () -> IDENTITY,
            ServerAuthenticator.none(),
            new ConnectionLimits(3, 4, 2, MAX_BLOCK),
            ConnectionTimeouts.defaults(),
            true);
    listen(
        settings,
        (peer, link) -> {
          StoringSession session = new StoringSession(link);
          sessions.add(session);
          return new ServerSessionFactory.Accepted(session, SEED);
        });
  }

  @AfterEach
  void stopAndCheckLeases() throws InterruptedException {
    stop();
    for (StoringSession session : sessions) {
      assertThat(session.closed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(session.openLeases).hasValue(0);
      assertThat(session.closedTwice).hasValue(0);
    }
  }

  protected RecordingClient connected() throws Exception {
    RecordingClient client = new RecordingClient();
    connect(IDENTITY.id(), client);
    client.link.get(20, TimeUnit.SECONDS);
    return client;
  }

  protected static void run(RecordingClient client, Consumer<ClientLink> calls) {
    ClientLink link = client.link.join();
    link.executor()
        .execute(
            () -> {
              calls.accept(link);
              link.flush();
            });
  }

  protected static void push(ClientLink link, int handle, byte[]... blocks) {
    ByteBuf frame = TestBlocks.concat(UnpooledByteBufAllocator.DEFAULT, blocks);
    link.push(handle, blocks.length, frame);
    frame.release();
  }

  @Test
  void welcomeCarriesIdentitySeedAndLimit() throws Exception {
    RecordingClient client = connected();
    assertThat(client.server).hasToString(IDENTITY.toString());
    assertThat(client.seed).isEqualTo(SEED);
    assertThat(client.maxBlockBytes).isEqualTo(MAX_BLOCK);
  }

  @Test
  void everyBlockPushedIsStoredAndAckedOnceWithItsCharge() throws Exception {
    RecordingClient client = connected();
    List<byte[]> sent = new ArrayList<>();
    int[] sizes = {0, 1, 4055, 4056, 4057, 70_000, 300_000, MAX_BLOCK};
    long charge = 0;
    for (int i = 0; i < sizes.length; i++) {
      sent.add(TestBlocks.block(i, 0, 0, sizes[i]));
      charge += TransportLimits.charge(sizes[i]);
    }
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, sent.subList(0, 5).toArray(new byte[0][]));
          push(link, 0, sent.get(5), sent.get(6));
          push(link, 0, sent.get(7));
        });
    client.await(() -> client.acked == sizes.length);
    assertThat(client.refunded).isEqualTo(charge);
    StoringSession session = sessions.get(0);
    assertThat(session.blocks).usingElementComparator(Arrays::compare).isEqualTo(sent);
    assertThat(session.blockNumbers).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  @Test
  void aBlockAlteredOnTheWireIsRefusedAndTheRestIsStored() throws Exception {
    RecordingClient client = connected();
    byte[] good = TestBlocks.block(0, 0, 0, 5000);
    byte[] bad = TestBlocks.block(0, 0, 1, 5000);
    bad[2000] ^= 1;
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, good, bad, good);
        });
    client.await(() -> client.acked == 2 && client.nackCode != null);
    assertThat(client.nackCode).isEqualTo(ErrorCode.CORRUPT_BLOCK);
    assertThat(client.events).contains("nacked 1+1 CORRUPT_BLOCK");
  }

  @Test
  void wantsAreGrantedOrRefused() throws Exception {
    RecordingClient client = connected();
    run(client, link -> link.want(1000));
    client.await(() -> client.granted == 1000);
    run(client, link -> link.want(1L << 40));
    client.await(() -> client.wantRefused == ErrorCode.NO_MEMORY);
  }

  @Test
  void aFetchReturnsTheBlocksOfItsPartitionsAndMaps() throws Exception {
    RecordingClient client = connected();
    byte[] wanted1 = TestBlocks.block(1, 5, 0, 250_000);
    byte[] wanted2 = TestBlocks.block(2, 6, 0, 10);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, TestBlocks.block(0, 5, 0, 10), wanted1, TestBlocks.block(1, 9, 0, 10));
          push(link, 0, wanted2, TestBlocks.block(3, 5, 0, 10));
        });
    // A fetch may overtake pushes that wait for the channel.
    client.await(() -> client.acked == 5);
    run(client, link -> link.fetch(new FetchRequest(0, 0, 1, 3, 5, 7, 1 << 20)));
    client.await(() -> client.ended.containsKey(0));
    assertThat(client.ended.get(0)).isEqualTo(wanted1.length + wanted2.length);
    assertThat(client.partitions.keySet()).containsExactly(1, 2);
    assertThat(client.bytes(1)).isEqualTo(wanted1);
    assertThat(client.bytes(2)).isEqualTo(wanted2);
  }

  @Test
  void aStreamStopsAtItsCreditAndGoesOnWithMore() throws Exception {
    RecordingClient client = connected();
    byte[] block = TestBlocks.block(0, 0, 0, 500_000);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, block);
          link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 150_000));
          link.want(1);
        });
    client.await(() -> client.dataBytes == 150_000 && client.granted == 1);
    run(client, link -> link.want(2));
    client.await(() -> client.granted == 3);
    assertThat(client.dataBytes).isEqualTo(150_000);
    run(client, link -> link.fetchCredit(0, 1 << 20));
    client.await(() -> client.ended.containsKey(0));
    assertThat(client.bytes(0)).isEqualTo(block);
  }

  @Test
  void orderlyCloseDeliversWhatWasPushed() throws Exception {
    RecordingClient client = connected();
    byte[] block = TestBlocks.block(0, 0, 0, 700_000);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          for (int i = 0; i < 8; i++) {
            push(link, 0, block);
          }
          link.close();
        });
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECTION_LOST);
    assertThat(client.acked).isEqualTo(8);
    assertThat(sessions.get(0).blocks).hasSize(8);
  }

  @Test
  void theServerMeantMustBeTheOneMet() throws Exception {
    RecordingClient client = new RecordingClient();
    connect(ServerId.of(8, 9), client);
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.WRONG_SERVER);
    assertThat(sessions).isEmpty();
  }

  @Test
  void aConnectionOverTheLimitIsTurnedAwayAndOthersGoOn() throws Exception {
    RecordingClient first = connected();
    connected();
    RecordingClient third = connected();
    RecordingClient fourth = new RecordingClient();
    connect(null, fourth);
    assertThat(fourth.awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
    run(first, link -> link.want(10));
    first.await(() -> first.granted == 10);
    run(third, ClientLink::close);
    third.awaitClosed();
    RecordingClient fifth = connectedOnceThereIsAPlace();
    run(fifth, link -> link.want(20));
    fifth.await(() -> fifth.granted == 20);
  }

  /** A client may see its own end before the server does, whose place is taken until then. */
  private RecordingClient connectedOnceThereIsAPlace() throws Exception {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      RecordingClient client = new RecordingClient();
      connect(IDENTITY.id(), client);
      client.await(() -> client.link.isDone());
      if (!client.link.isCompletedExceptionally()) {
        return client;
      }
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
      assertThat(Clock.system().nanoTime()).isLessThan(deadline);
    }
  }

  @Test
  void theReasonOfARefusalReachesAClientInTheMiddleOfPushing() throws Exception {
    RecordingClient client = connected();
    byte[] block = TestBlocks.block(0, 0, 0, MAX_BLOCK);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, TestBlocks.block(0, 0, 0, 10));
          link.open(1, SHUFFLE, 3);
          for (int i = 0; i < 20; i++) {
            push(link, 1, block);
          }
        });
    client.await(() -> client.acked > 0);
    sessions.get(0).link.close(ErrorCode.CREDIT_EXCEEDED, "test");
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CREDIT_EXCEEDED);
  }

  @Test
  void aProtocolErrorOfOneConnectionLeavesOthersUnharmed() throws Exception {
    RecordingClient bad = connected();
    RecordingClient good = connected();
    run(
        bad,
        link -> {
          link.open(0, SHUFFLE, 3);
          byte[] block = TestBlocks.block(0, 0, 0, 100);
          block[0] = 0;
          push(link, 0, block);
        });
    assertThat(bad.awaitClosed()).isEqualTo(ErrorCode.CORRUPT_BLOCK);
    run(
        good,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, TestBlocks.block(0, 0, 0, 100));
        });
    good.await(() -> good.acked == 1);
  }

  @Test
  void anAbruptCloseInTheMiddleOfAFetchEndsEveryLease() throws Exception {
    RecordingClient client = connected();
    byte[] block = TestBlocks.block(0, 0, 0, MAX_BLOCK);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          for (int i = 0; i < 16; i++) {
            push(link, 0, block);
          }
          link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 1L << 30));
        });
    client.await(() -> client.dataBytes > 0);
    client.link.join().abort(new SluiceException(ErrorCode.CANCELLED, "test"));
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CANCELLED);
    StoringSession session = sessions.get(0);
    assertThat(session.closed.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(session.leasesTaken.get()).isPositive();
  }

  @Test
  void aCancelledStreamEndsAndTheConnectionGoesOn() throws Exception {
    RecordingClient client = connected();
    byte[] block = TestBlocks.block(0, 0, 0, MAX_BLOCK);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          for (int i = 0; i < 8; i++) {
            push(link, 0, block);
          }
        });
    client.await(() -> client.acked == 8);
    // Credit for a part of it, so that it cannot have ended before it is cancelled.
    run(client, link -> link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 2 * MAX_BLOCK)));
    client.await(() -> client.dataBytes > 0);
    run(
        client,
        link -> {
          link.fetchCancel(0);
          link.fetch(new FetchRequest(1, 0, 0, 1, 0, 1, 1L << 30));
        });
    client.await(() -> client.ended.containsKey(1));
    assertThat(client.ended).doesNotContainKey(0);
    assertThat(client.ended.get(1)).isEqualTo(8L * block.length);
  }

  @Test
  void manyStreamsShareAConnection() throws Exception {
    RecordingClient client = connected();
    client.refill = true;
    byte[] block = TestBlocks.block(0, 0, 0, 600_000);
    byte[] other = TestBlocks.block(1, 0, 0, 600_000);
    run(
        client,
        link -> {
          link.open(0, SHUFFLE, 3);
          push(link, 0, block);
          push(link, 0, other);
        });
    // A fetch may overtake a push.
    client.await(() -> client.acked == 2);
    run(
        client,
        link -> {
          link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 50_000));
          link.fetch(new FetchRequest(1, 0, 1, 2, 0, 1, 50_000));
          link.fetch(new FetchRequest(2, 0, 1, 2, 0, 1, 50_000));
        });
    client.await(() -> client.ended.size() == 2 && client.failed.size() == 1);
    assertThat(client.failed).containsEntry(2, ErrorCode.TOO_MANY_STREAMS);
    assertThat(client.bytes(0)).isEqualTo(block);
    assertThat(client.bytes(1)).isEqualTo(other);
  }

  @Test
  void aServerAboutToStopAsksItsClientsToGo() throws Exception {
    RecordingClient client = connected();
    CompletableFuture<Void> gone = goAway();
    client.await(() -> client.goingAway);
    run(client, link -> link.want(10));
    client.await(() -> client.granted == 10);
    assertThat(gone).isNotDone();
    run(client, ClientLink::close);
    gone.get(20, TimeUnit.SECONDS);
    client.awaitClosed();
  }

  @Test
  void aServerThatStopsSaysSo() throws Exception {
    RecordingClient client = connected();
    stop();
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.SHUTTING_DOWN);
  }
}

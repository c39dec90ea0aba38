package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Peers with an HTTP/2 window too small for any answer, which answer its pings and read nothing: a
 * call's end never reaches them.
 */
@Timeout(60)
final class StuckCallTest {
  private static final int PLACES = 4;
  private static final int WINDOW_BYTES = 16;

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("stuck", 1, alloc, Clock.system());
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<RawCall> deaf = new ArrayList<>();
  private final Semaphore accepted = new Semaphore(0);

  private final GrpcServer server =
      GrpcServer.bind(
          loops,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          new ServerSettings(
              () -> new ServerIdentity(ServerId.of(1, 2), 3),
              ServerAuthenticator.none(),
              ConnectionLimits.of(PLACES, 1 << 20),
              new ConnectionTimeouts(
                  millis(1500), millis(5000), millis(10_000), millis(10_000), millis(500)),
              true),
          (peer, link) -> {
            accepted.release();
            return new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20);
          },
          new ConnectionCount(PLACES));

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @AfterEach
  void stop() throws InterruptedException {
    deaf.forEach(RawCall::cancel);
    server.close();
    for (ManagedChannel channel : channels) {
      assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
    loops.close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", server.address().getPort())
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(WINDOW_BYTES)
            .build();
    channels.add(channel);
    return channel;
  }

  private RawCall deaf(ManagedChannel channel) {
    RawCall call = new RawCall(channel, false);
    deaf.add(call);
    return call;
  }

  private static ByteBuf hello() {
    ByteBuf hello = Frames.magic(Unpooled.buffer());
    new Hello(1, 1, new UUID(1, 1), null, 0, new byte[0]).encode(hello);
    return hello;
  }

  private static void assertWelcome(RawCall call) throws InterruptedException {
    ByteBuffer bytes = call.await(FrameHeader.MAGIC_LENGTH + FrameHeader.LENGTH);
    assertThat(FrameHeader.check(bytes, FrameHeader.MAGIC_LENGTH)).isEqualTo(FrameType.WELCOME);
  }

  private void awaitConnections(int wanted) throws Exception {
    long deadline = Clock.system().nanoTime() + millis(20_000);
    while (server.connections() != wanted) {
      assertThat(Clock.system().nanoTime())
          .as("connections are not %d", wanted)
          .isLessThan(deadline);
      loops.group().schedule(() -> {}, 10, TimeUnit.MILLISECONDS).get();
    }
  }

  private void assertPlacesFree() throws Exception {
    awaitConnections(0);
    for (int i = 0; i < PLACES; i++) {
      RawCall call = new RawCall(channel(), true);
      call.send(hello());
      assertWelcome(call);
    }
  }

  @Test
  void callsThatSayNothingAndTakeNothingLoseTheirPlaces() throws Exception {
    ManagedChannel shared = channel();
    deaf(shared);
    deaf(shared);
    awaitConnections(2);
    assertPlacesFree();
  }

  @Test
  void soDoesOneAlone() throws Exception {
    deaf(channel());
    awaitConnections(1);
    assertPlacesFree();
  }

  /** Their WELCOME, which they do not take, is in the way of the server's end. */
  @Test
  void soDoCallsThatTheClientHasEnded() throws Exception {
    ManagedChannel shared = channel();
    deaf(shared).send(hello());
    deaf(shared).send(hello());
    assertThat(accepted.tryAcquire(2, 20, TimeUnit.SECONDS)).isTrue();
    deaf.forEach(RawCall::halfClose);
    assertPlacesFree();
  }

  @Test
  void aCallThatWorksIsNotHarmedByOthersOnItsConnection() throws Exception {
    ManagedChannel shared = channel();
    RawCall good = new RawCall(shared, true);
    good.send(hello());
    assertWelcome(good);
    deaf(shared);
    // On a connection of its own and later: when it has ended, the other one has been given up.
    deaf(channel());
    awaitConnections(3);
    awaitConnections(2);
    int before = good.received().limit();
    good.send(Frames.number(Unpooled.buffer(), FrameType.WANT, 0, 77));
    good.await(before + FrameHeader.LENGTH + Long.BYTES);
    good.cancel();
    // Nothing works on it any more.
    assertPlacesFree();
  }
}

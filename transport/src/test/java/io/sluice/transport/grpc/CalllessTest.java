package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An HTTP/2 connection that makes no call of ours keeps its place for as long as a handshake may
 * take, whatever else it does: here it leaves a stream open whose method nobody knows, which gRPC
 * alone would wait for without end.
 */
@Timeout(60)
final class CalllessTest {
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);

  @Test
  void aStreamThatNeverEndsKeepsNoPlace() throws Exception {
    EventLoops loops = EventLoops.open("callless", 1, alloc, Clock.system());
    ServerSettings settings =
        new ServerSettings(
            () -> new ServerIdentity(ServerId.of(1, 2), 3),
            ServerAuthenticator.none(),
            ConnectionLimits.of(1, 1 << 20),
            new ConnectionTimeouts(seconds(1), seconds(50), seconds(50), seconds(50), seconds(5)),
            true);
    ServerSessionFactory sessions =
        (peer, link) -> new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (DataServer server =
            GrpcServer.bind(loops, any, settings, sessions, new ConnectionCount(4));
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      out.write(frame(SETTINGS, 0, 0, new byte[0]));
      out.write(frame(SETTINGS, ACK, 0, new byte[0]));
      out.write(frame(HEADERS, END_HEADERS, 1, headersOfAnUnknownMethod()));
      out.flush();
      socket.setSoTimeout(30_000);
      assertThat(endsSoon(socket)).isTrue();
    } finally {
      loops.close();
    }
  }

  /** Reads to the end; false if nothing comes for too long. */
  private static boolean endsSoon(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
      return true;
    } catch (SocketException reset) {
      return true;
    }
  }

  private static long seconds(int seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  private static byte[] headersOfAnUnknownMethod() {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", "POST");
    literal(block, ":scheme", "http");
    literal(block, ":path", "/unknown/Unknown");
    literal(block, ":authority", "sluice");
    literal(block, "content-type", "application/grpc");
    literal(block, "te", "trailers");
    return block.toByteArray();
  }

  /** Without indexing (RFC 7541, 6.2.2). */
  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    block.write(name.length());
    block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  /** RFC 9113, 4.1. */
  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(payload.length >> 16);
    frame.write(payload.length >> 8);
    frame.write(payload.length);
    frame.write(type);
    frame.write(flags);
    frame.writeBytes(new byte[] {0, 0, 0, (byte) stream});
    frame.writeBytes(payload);
    return frame.toByteArray();
  }
}

package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.sluice.common.log.FewLines;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a server that asks for certificates, and peers of every kind. */
@Timeout(60)
final class RefusedHandshakesTest {
  private static final Path GIVEN = Path.of("src/test/resources/tls");

  private final AtomicLong now = new AtomicLong();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final RefusedHandshakes refused = new RefusedHandshakes(new SetClock(), said::add);
  // Why handshakes failed in the end, of connections of which nothing more comes.
  private final BlockingQueue<Optional<Throwable>> over = new LinkedBlockingQueue<>();
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel server = listen();
  private volatile long patienceMillis = 20_000;

  @AfterEach
  void stop() {
    server.close().awaitUninterruptibly();
    loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  @Test
  void whoHasTheRightCertificateIsNotCounted() throws Exception {
    assertThat(isWelcome(Optional.of("second"))).isTrue();

    assertThat(failure()).isEmpty();
    assertThat(refused.count()).isZero();
  }

  @Test
  void whoGoesAwayWithoutAWordIsNotCounted() throws Exception {
    connect().close();

    assertThat(failure()).get().isInstanceOf(ClosedChannelException.class);
    assertThat(refused.count()).isZero();
    assertThat(said).isEmpty();
  }

  @Test
  void whoGoesAwayInTheMiddleOfAWordIsNotCounted() throws Exception {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(oldHello(), 0, 20);
    }

    assertThat(failure()).get().isInstanceOf(ClosedChannelException.class);
    assertThat(refused.count()).isZero();
  }

  @Test
  void whoSaysNothingForTooLongIsNotCounted() throws Exception {
    patienceMillis = 50;
    say(new byte[0]);

    assertThat(failure()).get().isInstanceOf(SslHandshakeTimeoutException.class);
    assertThat(refused.count()).isZero();
  }

  @Test
  void whoHasNoCertificateIsCountedAndSaid() throws Exception {
    assertThat(isWelcome(Optional.empty())).isFalse();

    assertThat(failure()).isPresent();
    assertThat(refused.count()).isEqualTo(1);
    assertThat(said)
        .singleElement()
        .asString()
        .matches("refused a TLS handshake with 127\\.0\\.0\\.1:\\d+: .*Empty client certificate.*");
  }

  @Test
  void whoseCertificateIsNotTrustedIsCountedAndSaid() throws Exception {
    assertThat(isWelcome(Optional.of("foreign"))).isFalse();

    assertThat(failure()).isPresent();
    assertThat(refused.count()).isEqualTo(1);
    assertThat(said).singleElement().asString().contains("PKIX path building failed");
  }

  @Test
  void whoSpeaksSomethingElseIsCountedAndSaidInShort() throws Exception {
    say(("GET / HTTP/1.1\r\nx: " + "y".repeat(900) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));

    assertThat(failure()).isPresent();
    assertThat(refused.count()).isEqualTo(1);
    assertThat(said)
        .singleElement()
        .asString()
        .contains("not an SSL/TLS record: 474554")
        .hasSizeLessThan(RefusedHandshakes.LONGEST + 100);
  }

  @Test
  void whoSpeaksAVersionThatIsTooOldIsCountedAndSaid() throws Exception {
    say(oldHello());

    assertThat(failure()).isPresent();
    assertThat(refused.count()).isEqualTo(1);
    assertThat(said).singleElement().asString().contains("TLSv1.1");
  }

  @Test
  void whatIsBehindAReasonIsSaidOnOneLine() throws Exception {
    SSLException expired = new SSLHandshakeException("PKIX path validation failed");
    expired.initCause(
        new CertPathValidatorException(
            "validity check failed", new CertificateExpiredException("NotAfter: then\u001b[2J")));
    refused.note(null, expired);
    refused.note(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 7),
        new SSLException((String) null));
    byte[] lastOne = new byte[16];
    lastOne[15] = 1;
    refused.note(
        new InetSocketAddress(InetAddress.getByAddress(lastOne), 7), new SSLException("no"));

    assertThat(said)
        .containsExactly(
            "refused a TLS handshake with a peer that has gone: PKIX path validation failed:"
                + " NotAfter: then?[2J",
            "refused a TLS handshake with 127.0.0.1:7: javax.net.ssl.SSLException",
            "refused a TLS handshake with [::1]:7: no");
  }

  @Test
  void theRestOfManyIsSaidAsANumber() {
    SSLException why = new SSLException("no");
    for (int i = 0; i < FewLines.MOST + 5; i++) {
      refused.note(null, why);
    }
    assertThat(said).hasSize(FewLines.MOST);
    now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    refused.note(null, why);

    assertThat(said)
        .hasSize(FewLines.MOST + 2)
        .contains("refused 5 more TLS handshakes that are not said one by one");
    assertThat(refused.count()).isEqualTo(FewLines.MOST + 6);
  }

  private Channel listen() {
    SslContext context = TlsContexts.server(new Tls(material(Optional.of("first")), true));
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                refused.watch(channel);
                SslHandler tls = context.newHandler(channel.alloc());
                tls.setHandshakeTimeoutMillis(patienceMillis);
                channel.pipeline().addLast(tls).addLast(new End());
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
  }

  /** Says one byte to whoever has come through, and notes what became of the handshake. */
  @SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
  private final class End extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event == SslHandshakeCompletionEvent.SUCCESS) {
        context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1}));
      }
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
      SslHandler tls = context.pipeline().get(SslHandler.class);
      over.add(Optional.ofNullable(tls.handshakeFuture().cause()));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
      context.close();
    }
  }

  private Optional<Throwable> failure() throws InterruptedException {
    return Objects.requireNonNull(over.poll(20, TimeUnit.SECONDS));
  }

  private Socket connect() throws IOException {
    return new Socket(
        InetAddress.getLoopbackAddress(), ((InetSocketAddress) server.localAddress()).getPort());
  }

  /** Says something, and waits for the end. */
  private void say(byte[] bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(bytes);
      assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(10); // An alert.
    }
  }

  /** What TLS 1.1 begins with. */
  private static byte[] oldHello() {
    ByteBuffer hello = ByteBuffer.allocate(50);
    hello.put((byte) 22).putShort((short) 0x0301).putShort((short) 45);
    hello.put((byte) 1).put((byte) 0).putShort((short) 41);
    hello.putShort((short) 0x0302).put(new byte[32]).put((byte) 0);
    hello.putShort((short) 2).putShort((short) 0xc013).put((byte) 1).put((byte) 0);
    return hello.array();
  }

  private static TlsMaterial material(Optional<String> name) {
    return TlsMaterial.open(
        new TlsFiles(
            name.map(own -> GIVEN.resolve(own + ".pem")),
            name.map(own -> GIVEN.resolve(own + ".key")),
            Optional.of(GIVEN.resolve("authority.pem"))));
  }

  private boolean isWelcome(Optional<String> name) throws IOException, GeneralSecurityException {
    TlsMaterial material = material(name);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        material.keyManager().map(own -> new KeyManager[] {own}).orElse(null),
        new TrustManager[] {material.trustManager()},
        null);
    InetSocketAddress address = (InetSocketAddress) server.localAddress();
    try (Socket socket =
        context.getSocketFactory().createSocket(address.getAddress(), address.getPort())) {
      return socket.getInputStream().read() == 1;
    } catch (IOException turnedAway) {
      return false;
    }
  }

  private final class SetClock implements Clock {
    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }
}

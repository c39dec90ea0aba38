package io.sluice.common.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.NetUtil;
import io.sluice.common.error.RootCause;
import io.sluice.common.log.FewLines;
import io.sluice.common.time.Clock;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handshakes that failed at the ports of a process: counted, and said, a few a minute. Nothing else
 * sees them, since what is above TLS has not begun. Thread-safe.
 */
public final class RefusedHandshakes {
  /** Of a line: a reason may show all bytes that somebody sent who does not speak TLS. */
  static final int LONGEST = 300;

  private static final Logger log = LoggerFactory.getLogger(RefusedHandshakes.class);
  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

  private final LongAdder count = new LongAdder();
  private final FewLines lines;
  private final Consumer<String> said;

  RefusedHandshakes() {
    this(Clock.system(), log::info);
  }

  /** The same by a clock, to another log. */
  RefusedHandshakes(Clock clock, Consumer<String> said) {
    this.lines = new FewLines(clock);
    this.said = said;
  }

  /**
   * Looks at a connection's handshake when it closes, if it has TLS then. What is told of a closed
   * channel comes while its pipeline is whole, and before TLS is: a handshake that has failed then
   * is one that one of both refused. Those that only ended with their connection, because the peer
   * went away, fail after that. Nor was anything refused where the peer took too long: at some
   * ports it is TLS that notices, at others what is above it.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // It is the channel's own.
  public void watch(Channel accepted) {
    // It has none any more when it is closed.
    SocketAddress peer = accepted.remoteAddress();
    accepted
        .closeFuture()
        .addListener(
            closed -> {
              SslHandler tls = accepted.pipeline().get(SslHandler.class);
              Throwable why = tls == null ? null : tls.handshakeFuture().cause();
              if (why != null && !(why instanceof SslHandshakeTimeoutException)) {
                note(peer, why);
              }
            });
  }

  /** One more. */
  void note(@Nullable SocketAddress peer, Throwable why) {
    count.increment();
    long unsaid = lines.next();
    if (unsaid > 0) {
      said.accept("refused " + unsaid + " more TLS handshakes that are not said one by one");
    }
    if (unsaid >= 0) {
      said.accept("refused a TLS handshake with " + name(peer) + ": " + reason(why));
    }
  }

  private static String name(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress
        ? NetUtil.toSocketAddressString((InetSocketAddress) peer)
        : "a peer that has gone";
  }

  /** On one line, whatever was in the certificate that it is about. */
  private static String reason(Throwable why) {
    String message = why.getMessage();
    String whole = RootCause.behind(message == null ? why.toString() : message, why);
    String line = UNPRINTABLE.matcher(whole).replaceAll("?");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }

  /** Since the start. */
  public long count() {
    return count.sum();
  }
}

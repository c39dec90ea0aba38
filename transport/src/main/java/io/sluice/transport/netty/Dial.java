package io.sluice.transport.netty;

import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientSession;
import io.sluice.transport.OwnErrors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to reach a server, up to the point where it is known where to dial: who is meant, by
 * when it has to be there, and how to say that it will not be. Belongs to its event loop.
 */
public final class Dial {
  private static final Logger log = LoggerFactory.getLogger(Dial.class);

  private final EventLoop loop;
  private final Target target;
  private final Clock clock;
  private final long deadline;

  // The event loop's: whether the lookup has ended, or been given up.
  private boolean lookedUp;

  /**
   * @param nanos how long finding the address and opening the connection may take together
   */
  Dial(EventLoop loop, Target target, Clock clock, long nanos) {
    this.loop = loop;
    this.target = target;
    this.clock = clock;
    this.deadline = clock.nanoTime() + nanos;
  }

  public EventLoop loop() {
    return loop;
  }

  /** The server meant, or null for whichever answers. */
  public @Nullable ServerId expected() {
    return target.expected;
  }

  public ClientSession session() {
    return target.session;
  }

  /** Until the connection has to be there. */
  public long nanosLeft() {
    return deadline - clock.nanoTime();
  }

  /** Calls back on the event loop when the address is known, unless that fails. */
  void resolve(NameLookups lookups, BiConsumer<Dial, InetSocketAddress> dialler) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(target.host);
    if (literal != null) {
      onLoop(() -> dialler.accept(this, remote(literal)));
      return;
    }
    Future<?> timer =
        loop.schedule(
            () -> ended(null, new TimeoutException("looking the name up took too long"), dialler),
            nanosLeft(),
            TimeUnit.NANOSECONDS);
    lookups
        .lookUp(target.host)
        .whenComplete(
            (address, unknown) ->
                onLoop(
                    () -> {
                      timer.cancel(false);
                      ended(address, unknown, dialler);
                    }));
  }

  private void ended(
      byte @Nullable [] address,
      @Nullable Throwable failure,
      BiConsumer<Dial, InetSocketAddress> dialler) {
    if (lookedUp) {
      return;
    }
    lookedUp = true;
    if (address != null) {
      dialler.accept(this, remote(address));
    } else {
      refused(target.host + ":" + target.port, failure);
    }
  }

  private InetSocketAddress remote(byte[] address) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(target.host, address), target.port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Tells the session, on the event loop, that there will be no connection. Any thread. */
  public void refused(String where, @Nullable Throwable cause) {
    String why = cause == null ? "no address" : cause.getMessage();
    Throwable kept = OwnErrors.kept(cause, where);
    onLoop(
        () ->
            target.session.closed(
                new SluiceException(
                    ErrorCode.CONNECT_FAILED, "cannot connect to " + where + ": " + why, kept)));
  }

  private void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // The process is done with connections: nobody is left to tell.
      log.debug("attempt to connect to {} came too late", target.host, ended);
    }
  }

  /** Who is to be connected with whom. */
  static final class Target {
    final String host;
    final int port;
    final @Nullable ServerId expected;
    final ClientSession session;

    Target(String host, int port, @Nullable ServerId expected, ClientSession session) {
      this.host = host;
      this.port = port;
      this.expected = expected;
      this.session = session;
    }
  }
}

package io.sluice.transport.netty;

import io.netty.channel.EventLoop;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ClientSession;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Dials servers. Looking the name up and opening the connection share one handshake timeout; the
 * handshake has its own. Thread-safe; owns nothing: connections live until closed by their
 * sessions.
 */
public abstract class DataConnector {
  private final EventLoops loops;
  private final long connectNanos;
  private final NameLookups nameLookups;

  /**
   * @param connectNanos for name and connection
   * @param nameLookups where host names are resolved, which blocks; anew for each connection. Each
   *     name that is being looked up holds one thread; it should have a few, and bound its queue
   */
  protected DataConnector(EventLoops loops, long connectNanos, Executor nameLookups) {
    this(loops, connectNanos, new NameLookups(nameLookups, NameLookups.Resolver.ofSystem()));
  }

  DataConnector(EventLoops loops, long connectNanos, NameLookups nameLookups) {
    this.loops = loops;
    this.connectNanos = connectNanos;
    this.nameLookups = nameLookups;
  }

  /**
   * Begins to connect and returns. The session hears {@code connected} or {@code closed}, on the
   * event loop that the connection then stays on.
   *
   * @param host name or literal address
   * @param expected the server meant, or null for whichever answers there
   */
  public final void connect(
      String host, int port, @Nullable ServerId expected, ClientSession session) {
    connect(loops.next(), host, port, expected, session);
  }

  /**
   * As above, on an event loop that {@link EventLoops#next} gave: for a caller that keeps state
   * there from one connection to the next.
   */
  public final void connect(
      EventLoop loop, String host, int port, @Nullable ServerId expected, ClientSession session) {
    new Dial(loop, new Dial.Target(host, port, expected, session), loops.clock(), connectNanos)
        .resolve(nameLookups, this::dial);
  }

  /** Opens a connection, on the event loop of the attempt. */
  protected abstract void dial(Dial attempt, InetSocketAddress remote);
}

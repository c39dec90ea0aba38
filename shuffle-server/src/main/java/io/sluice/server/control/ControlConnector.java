package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;

/** Opens streams to coordinators. Thread-safe. */
public interface ControlConnector extends AutoCloseable {
  /** Opens a stream; never fails at once, the listener hears of it. */
  ControlStream open(HostPort coordinator, Listener listener);

  /** Ends all streams. */
  @Override
  void close();

  /** A stream's way to the coordinator. */
  interface ControlStream {
    /** Whether a report would leave soon; where not, it is better left out. */
    boolean isReady();

    void send(ServerReport report);

    /**
     * Says that no report follows. The coordinator ends the stream once it has taken those before,
     * and the listener hears of that.
     */
    void finish();

    /** Ends the stream; the listener hears nothing of it. Harmless after the end. */
    void cancel();
  }

  /** What a stream brings, on any thread, in order. */
  interface Listener {
    void directive(ServerDirective directive);

    /** The stream is over; last call. */
    void ended(Throwable reason);
  }
}

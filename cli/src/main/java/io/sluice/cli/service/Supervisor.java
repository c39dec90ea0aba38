package io.sluice.cli.service;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * systemd, if it started this process as a unit of {@code Type=notify}; otherwise nobody, and
 * nothing is said. What cannot be said is logged with what follows from it, and the service goes
 * on. Thread-safe; every method blocks for seconds at most, so none belongs on an event loop.
 */
final class Supervisor {
  private static final Logger log = LoggerFactory.getLogger(Supervisor.class);

  private final Optional<NotifySocket> socket;

  private Supervisor(Optional<NotifySocket> socket) {
    this.socket = socket;
  }

  /** As this process's environment says. */
  static Supervisor ofEnvironment() {
    return of(System.getenv().getOrDefault("NOTIFY_SOCKET", ""));
  }

  /**
   * @param notifySocket value of {@code NOTIFY_SOCKET}; empty if there is none
   */
  static Supervisor of(String notifySocket) {
    return new Supervisor(
        notifySocket.isEmpty() ? Optional.empty() : Optional.of(new NotifySocket(notifySocket)));
  }

  /** Not ready yet, and why. */
  void waiting(String status) {
    tell("STATUS=" + status);
  }

  /** Ready from now on, which is said once. */
  void ready(Announcement announcement) {
    tell("READY=1\nSTATUS=" + announcement);
  }

  /**
   * An orderly stop has begun.
   *
   * @param longest what it may take: the unit's TimeoutStopSec is extended to that if it is
   *     shorter, so that no setting of the service has to be repeated there
   */
  void stopping(Duration longest) {
    long micros = TimeUnit.MILLISECONDS.toMicros(longest.toMillis());
    tell("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=" + micros);
  }

  private void tell(String message) {
    if (socket.isEmpty()) {
      return;
    }
    try {
      socket.get().send(message);
    } catch (IOException e) {
      log.warn(
          "systemd cannot be told '{}': a unit of Type=notify never counts as started then, so give"
              + " it Type=exec",
          message.lines().findFirst().orElse(""),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

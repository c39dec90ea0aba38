package io.sluice.transport.grpc;

import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.sluice.common.time.Clock;
import io.sluice.transport.netty.Dial;
import io.sluice.transport.session.ClientProtocol;
import io.sluice.transport.session.ClientSettings;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection. It begins when gRPC takes messages, which is when the peer has spoken
 * HTTP/2; until then its end is a failure to connect.
 */
final class CallerConnection extends ClientCall.Listener<InputStream> {
  private final Dial attempt;
  private final ManagedChannel channel;
  private final ClientCall<InputStream, InputStream> call;
  private final CallOutput output;
  private final ClientSettings settings;
  private final Clock clock;
  private final EventLoop loop;
  private @Nullable Future<?> connectTimer;
  private @Nullable CallDriver driver;

  CallerConnection(
      Dial attempt,
      ManagedChannel channel,
      ClientCall<InputStream, InputStream> call,
      CallOutput output,
      ClientSettings settings,
      Clock clock) {
    this.attempt = attempt;
    this.channel = channel;
    this.call = call;
    this.output = output;
    this.settings = settings;
    this.clock = clock;
    this.loop = attempt.loop();
  }

  void awaitStart() {
    connectTimer =
        loop.schedule(
            () -> call.cancel("no connection in time", null),
            attempt.nanosLeft(),
            TimeUnit.NANOSECONDS);
  }

  @Override
  public void onReady() {
    onLoop(() -> driver().ready());
  }

  /** Begins the connection if that has not been done. */
  private CallDriver driver() {
    CallDriver begun = driver;
    if (begun == null) {
      stopTimer();
      ClientProtocol protocol =
          new ClientProtocol(settings, attempt.expected(), attempt.session(), output);
      begun = new CallDriver(protocol, output, loop, clock);
      driver = begun;
      begun.start(settings.timeouts().tickNanos());
    }
    return begun;
  }

  @Override
  public void onMessage(InputStream message) {
    driver().received(message);
    call.request(1);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    onLoop(
        () -> {
          stopTimer();
          Throwable cause = status.isOk() ? null : status.asException();
          if (driver == null) {
            output.drop();
            attempt.refused(output.peer(), cause);
          } else {
            driver.over(cause);
          }
          channel.shutdownNow();
        });
  }

  private void stopTimer() {
    if (connectTimer != null) {
      connectTimer.cancel(false);
      connectTimer = null;
    }
  }

  /** gRPC calls back on the event loop, but for failures before there is a connection. */
  private void onLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }
}

package io.sluice.benchmarks.storage.load;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What writers' and readers' links have in common: an event loop, an end, and that everything a
 * connection did not ask for ends it with a failure.
 */
abstract class QuietLink implements ServerLink {
  private final Executor loop;
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  QuietLink(Executor loop) {
    this.loop = loop;
  }

  /** Completes when the connection has done its work, or cannot. */
  final CompletableFuture<Void> end() {
    return end;
  }

  /** Runs a step on some executor; what it throws ends the connection. */
  final void run(Executor where, Runnable step) {
    where.execute(
        () -> {
          try {
            step.run();
          } catch (RuntimeException | Error failure) {
            end.completeExceptionally(failure);
          }
        });
  }

  final void fail(ErrorCode code, String message) {
    end.completeExceptionally(new SluiceException(code, message));
  }

  @Override
  public String peer() {
    return "benchmark";
  }

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public void ack(long first, int count, long refund) {
    fail(ErrorCode.UNEXPECTED_FRAME, "ack");
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    fail(code, count + " blocks were refused");
  }

  @Override
  public void grant(long bytes) {
    fail(ErrorCode.UNEXPECTED_FRAME, "grant");
  }

  @Override
  public void explain(ErrorCode code, String why) {}

  @Override
  public void replicasFailed(List<FailedReplica> failed) {}

  @Override
  public void refuseWant(ErrorCode code) {
    fail(code, "a WANT was refused");
  }

  @Override
  public void reclaim(long bytes) {}

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    data.close();
    fail(ErrorCode.UNEXPECTED_FRAME, "data");
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    fail(ErrorCode.UNEXPECTED_FRAME, "end of a stream");
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    fail(code, message);
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void flush() {}

  @Override
  public void close(ErrorCode code, String message) {
    fail(code, message);
  }
}

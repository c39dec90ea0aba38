package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.util.RpcUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits for the driver hears the same as whoever is called back. */
@Timeout(60)
class AnsweringEndpointTest {
  private static final String NAME = "Asked";

  private final RpcPair rpc = new RpcPair(new SparkConf(false).set("spark.rpc.askTimeout", "2s"));
  private final Asked asked = new Asked(rpc.driver);
  private final RpcEndpointRef listening = rpc.driver.setupEndpoint(NAME, asked);
  private final RpcEndpointRef driver = RpcUtils.makeDriverRef(NAME, rpc.conf, rpc.executor);

  @AfterEach
  void stop() {
    asked.go.complete("too late");
    rpc.close();
  }

  /** Answers once it may. */
  private static final class Asked extends AnsweringEndpoint<String> {
    final CompletableFuture<String> go = new CompletableFuture<>();
    final CompletableFuture<String> heard = new CompletableFuture<>();

    Asked(RpcEnv rpcEnv) {
      super(rpcEnv, String.class);
    }

    @Override
    CompletionStage<Object> answer(String message) {
      heard.complete(message);
      return go.thenApply(end -> end.isEmpty() ? new Unsendable() : message + end);
    }
  }

  @Test
  void bothHearTheAnswer() {
    asked.go.complete(" indeed");

    assertThat(AnsweringEndpoint.askSync(driver, "is it", String.class)).isEqualTo("is it indeed");
    assertThat(AnsweringEndpoint.ask(driver, "is it", String.class).join())
        .isEqualTo("is it indeed");
  }

  /** Fails as it is sent, and not as what cannot be sent does. */
  private static final class Unsendable implements Serializable {
    private static final long serialVersionUID = 1;

    private void writeObject(ObjectOutputStream out) {
      throw new IllegalStateException("not to be sent");
    }
  }

  @Test
  void bothHearThatAnAnswerCannotBeSent() {
    asked.go.complete("");

    for (SluiceException heard : both()) {
      assertThat(heard.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
      assertThat(heard).hasStackTraceContaining("not to be sent");
    }
  }

  @Test
  void bothHearTheReasonAndItsCode() {
    asked.go.completeExceptionally(
        new SluiceException(ErrorCode.NO_SERVERS, "none, says the test"));

    for (SluiceException heard : both()) {
      assertThat(heard.code()).isEqualTo(ErrorCode.NO_SERVERS);
      assertThat(heard).hasMessageContaining("none, says the test");
    }
  }

  @Test
  void ofADriverThatIsSilentBothHearThatItDidNotAnswerInTime() {
    for (SluiceException heard : both()) {
      assertThat(heard.code()).isEqualTo(ErrorCode.TIMED_OUT);
      assertThat(heard).hasMessageContaining("the driver did not answer");
    }
  }

  @Test
  void ofADriverThatListensNoMoreBothHearIt() {
    rpc.driver.stop(listening);

    for (SluiceException heard : both()) {
      assertThat(heard.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
      assertThat(heard).hasMessageContaining("the driver did not answer");
    }
  }

  @Test
  void whoIsInterruptedWaitsNoLongerAndStaysInterrupted() throws Exception {
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              SluiceException cancelled = waitingFails();
              return cancelled.code() == ErrorCode.CANCELLED
                  && Thread.currentThread().isInterrupted();
            });
    Thread thread = new Thread(waiting, "waits for the driver");
    thread.start();
    asked.heard.get(30, TimeUnit.SECONDS);

    thread.interrupt();

    assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
  }

  private SluiceException[] both() {
    return new SluiceException[] {waitingFails(), calledBackFails()};
  }

  private SluiceException waitingFails() {
    try {
      throw new AssertionError(AnsweringEndpoint.askSync(driver, "is it", String.class));
    } catch (SluiceException failure) {
      return failure;
    }
  }

  private SluiceException calledBackFails() {
    return (SluiceException)
        AnsweringEndpoint.ask(driver, "is it", String.class)
            .handle((answer, failure) -> failure)
            .join();
  }
}

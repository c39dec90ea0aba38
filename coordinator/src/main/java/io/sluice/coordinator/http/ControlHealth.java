package io.sluice.coordinator.http;

import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.http.Health;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Health by asking the control thread, with a deadline: a thread that does not answer is ill. */
public final class ControlHealth implements Health {
  private static final long PATIENCE_SECONDS = 5;

  private final Scheduler control;
  private final Leadership leadership;

  public ControlHealth(Scheduler control, Leadership leadership) {
    this.control = control;
    this.leadership = leadership;
  }

  @Override
  public Optional<String> notLive() {
    return ask(Optional::empty);
  }

  /** A follower is ready too: it names the leader. */
  @Override
  public Optional<String> notReady() {
    return ask(
        () ->
            leadership.leads() || !leadership.leader().isEmpty()
                ? Optional.empty()
                : Optional.of("no leader is known: is ZooKeeper there?"));
  }

  private Optional<String> ask(Supplier<Optional<String>> question) {
    CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
    control.execute(() -> answer.complete(question.get()));
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of("the control thread did not answer in " + PATIENCE_SECONDS + " s");
    }
  }
}

package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KilledApplicationsTest {
  private final ManualScheduler scheduler = new ManualScheduler();
  private final MemoryStateStore store = new MemoryStateStore();

  private static ApplicationId id(long number) {
    return ApplicationId.of(3, number);
  }

  /** Application n was killed n milliseconds after application 0, and they come in no order. */
  private KilledApplications restored(int count) {
    long first = scheduler.wallTimeMillis() - 10_000;
    Map<String, Map<String, String>> decisions = new HashMap<>();
    for (int n = 0; n < count; n++) {
      decisions.put("killed/" + id(n), Map.of("at", Long.toString(first + n)));
      store.putDecision("killed/" + id(n), Map.of());
    }
    return new KilledApplications(scheduler, store, decisions);
  }

  @Test
  void theOldestGoFirstAlsoAfterAChangeOfLeader() {
    KilledApplications killed = restored(KilledApplications.LIMIT);

    CompletableFuture<Void> added = killed.add(id(5_000), "ada").toCompletableFuture();
    scheduler.runTasks();

    assertThat(added).isCompleted();
    assertThatCode(() -> killed.requireNot(id(0))).doesNotThrowAnyException();
    assertThatThrownBy(() -> killed.requireNot(id(1))).hasMessageContaining("APPLICATION_ENDED");
    assertThatThrownBy(() -> killed.requireNot(id(5_000)))
        .hasMessageContaining("APPLICATION_ENDED");
    assertThat(store.decisions()).hasSize(KilledApplications.LIMIT);
    assertThat(store.decisions()).doesNotContainKey("killed/" + id(0));
  }

  @Test
  void moreThanTheLimitIsForgottenAndWhatCannotBeReadStays() {
    restored(KilledApplications.LIMIT + 3);
    assertThat(store.decisions()).hasSize(KilledApplications.LIMIT);

    store.putDecision("killed/nonsense", Map.of());
    new KilledApplications(scheduler, store, Map.of("killed/nonsense", Map.of("at", "1")));
    assertThat(store.decisions()).as("perhaps of a later version").containsKey("killed/nonsense");
  }

  @Test
  void whoEndedItAndWhenIsSaidAlsoByTheNextLeader() {
    KilledApplications killed = new KilledApplications(scheduler, store, Map.of());
    String when = Instant.ofEpochMilli(scheduler.wallTimeMillis()).toString();
    killed.add(id(1), "cluster-key from 10.0.0.7:51234");
    killed.add(id(2), "x".repeat(10_000));
    scheduler.runTasks();

    KilledApplications next = new KilledApplications(scheduler, store, store.decisions());

    for (KilledApplications leader : List.of(killed, next)) {
      assertThatThrownBy(() -> leader.requireNot(id(1)))
          .hasMessageEndingWith(
              " was ended by an operator (cluster-key from 10.0.0.7:51234) at " + when);
      assertThatThrownBy(() -> leader.requireNot(id(2)))
          .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(500));
    }
  }

  @Test
  void whatAnEarlierVersionKeptIsInForce() {
    String at = Long.toString(scheduler.wallTimeMillis());
    KilledApplications killed =
        new KilledApplications(scheduler, store, Map.of("killed/" + id(1), Map.of("at", at)));

    assertThatThrownBy(() -> killed.requireNot(id(1)))
        .hasMessageContaining("was ended by an operator at ");
  }
}

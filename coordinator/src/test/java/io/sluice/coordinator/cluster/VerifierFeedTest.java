package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class VerifierFeedTest {
  private static final ClusterRules RULES =
      new ClusterRules(
          new SilenceLimits(
              TimeUnit.HOURS.toNanos(5), TimeUnit.HOURS.toNanos(30), TimeUnit.HOURS.toNanos(30)),
          new LeaseTerms(TimeUnit.SECONDS.toNanos(10), TimeUnit.HOURS.toNanos(5)),
          1_000);

  private final ManualScheduler scheduler = new ManualScheduler();

  private Cluster cluster(List<ApplicationRecord> known) {
    return new Cluster(
        scheduler,
        RULES,
        new Term(4, known, List.of(), Set.of()),
        new MemoryStateStore(),
        ClusterObserver.none());
  }

  private static ApplicationId id(long number) {
    return ApplicationId.of(1, number);
  }

  private static Verifier verifier(long number) {
    return Keys.ofApplication(id(number), Secret.of("0123456789abcdef0123456789abcdef")).verifier();
  }

  private static ApplicationRecord record(long number, @Nullable Verifier verifier) {
    return new ApplicationRecord(id(number), "app", "ada", "spark", "0.1", 42, verifier);
  }

  private static void greet(Cluster cluster, RecordingChannel channel) {
    ServerHello plain = Servers.hello(1, 1);
    cluster.openSession(
        new ServerHello(plain.address(), "test", List.of(), "", false, true),
        Servers.report(1 << 30),
        channel);
  }

  private static List<Directive.Verifiers> told(RecordingChannel channel) {
    return channel.sent().stream()
        .filter(Directive.Verifiers.class::isInstance)
        .map(Directive.Verifiers.class::cast)
        .toList();
  }

  @Test
  void aServerIsToldAllThereIsThenEachApplicationAtOnce() {
    Cluster cluster = cluster(List.of(record(1, verifier(1)), record(2, null)));
    RecordingChannel channel = new RecordingChannel();
    greet(cluster, channel);
    assertThat(told(channel))
        .containsExactly(new Directive.Verifiers(true, true, Map.of(id(1), verifier(1))));

    cluster.register(record(3, verifier(3)));
    assertThat(told(channel))
        .hasSize(2)
        .last()
        .isEqualTo(new Directive.Verifiers(false, false, Map.of(id(3), verifier(3))));
  }

  @Test
  void applicationsThatComeTogetherAreToldOfTogether() {
    Cluster cluster = cluster(List.of());
    RecordingChannel channel = new RecordingChannel();
    greet(cluster, channel);
    for (long number = 1; number <= 50; number++) {
      cluster.register(record(number, verifier(number)));
    }
    scheduler.advance(1, TimeUnit.SECONDS);
    assertThat(told(channel)).hasSize(3);
    assertThat(told(channel).get(2).applications()).hasSize(49);
  }

  @Test
  void manyAreToldInParts() {
    List<ApplicationRecord> known = new ArrayList<>();
    for (long number = 1; number <= 2 * VerifierFeed.PART + 1; number++) {
      known.add(record(number, verifier(number)));
    }
    RecordingChannel channel = new RecordingChannel();
    greet(cluster(known), channel);
    assertThat(told(channel))
        .extracting(Directive.Verifiers::first)
        .containsExactly(true, false, false);
    assertThat(told(channel))
        .extracting(Directive.Verifiers::last)
        .containsExactly(false, false, true);
    assertThat(told(channel).stream().mapToInt(part -> part.applications().size()).sum())
        .isEqualTo(known.size());
  }

  @Test
  void theFirstVerifierStaysUntilTheApplicationEnds() {
    Cluster cluster = cluster(List.of());
    cluster.register(record(1, verifier(1)));
    cluster.register(record(1, verifier(1)));
    for (Verifier other : new Verifier[] {verifier(2), null}) {
      assertThatThrownBy(() -> cluster.register(record(1, other)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED));
    }
    cluster.unregister(id(1));
    cluster.register(record(1, verifier(2)));
    assertThat(cluster.verifier(id(1))).isEqualTo(verifier(2));
  }

  @Test
  void whoRegisteredBeforeSecurityWasSwitchedOnIsBoundWhenItComesAgain() {
    Cluster cluster = cluster(List.of(record(1, null)));
    cluster.register(record(1, verifier(1)));
    assertThat(cluster.verifier(id(1))).isEqualTo(verifier(1));
  }
}

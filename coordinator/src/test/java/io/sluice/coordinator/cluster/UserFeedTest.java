package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.Directive;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What servers are told of users. */
class UserFeedTest {
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

  private static ApplicationRecord record(long number, String user) {
    return new ApplicationRecord(id(number), "app-" + number, user, "spark", "0.1", 42);
  }

  private void register(Cluster cluster, ApplicationRecord... records) {
    for (ApplicationRecord record : records) {
      cluster.register(record);
    }
    scheduler.advance(1, TimeUnit.SECONDS);
  }

  private static ServerSession curious(Cluster cluster, long number, RecordingChannel channel) {
    return cluster.openSession(Servers.curious(number, 1), Servers.report(1 << 30), channel);
  }

  private static List<Directive.Users> users(RecordingChannel channel) {
    return channel.sent().stream()
        .filter(Directive.Users.class::isInstance)
        .map(Directive.Users.class::cast)
        .toList();
  }

  @Test
  void aServerThatAsksIsToldEverythingAfterItsWelcome() {
    Cluster cluster = cluster(List.of(record(1, "ada")));
    register(cluster, record(2, "bob"), record(3, "ada"), record(4, ""));
    RecordingChannel channel = new RecordingChannel();
    RecordingChannel indifferent = new RecordingChannel();

    curious(cluster, 1, channel);
    cluster.openSession(Servers.hello(2, 1), Servers.report(1), indifferent);

    assertThat(channel.sent())
        .containsExactly(
            new Directive.Welcome(4, 1_000),
            new Directive.Users(
                true, true, Map.of("ada", List.of(id(1), id(3)), "bob", List.of(id(2)))));
    assertThat(indifferent.sent()).hasSize(1);
  }

  @Test
  void anEmptyListIsSaidToo() {
    RecordingChannel channel = new RecordingChannel();
    curious(cluster(List.of()), 1, channel);

    assertThat(users(channel)).containsExactly(new Directive.Users(true, true, Map.of()));
  }

  @Test
  void whatRegistersLaterFollowsTogether() {
    Cluster cluster = cluster(List.of());
    RecordingChannel channel = new RecordingChannel();
    curious(cluster, 1, channel);

    register(cluster, record(1, "ada"), record(2, "ada"));
    register(cluster, record(1, "eve"), record(3, "bob"));

    assertThat(users(channel).subList(1, 3))
        .containsExactly(
            new Directive.Users(false, false, Map.of("ada", List.of(id(1), id(2)))),
            new Directive.Users(false, false, Map.of("bob", List.of(id(3)))));
    assertThat(users(channel)).as("a user that changes is not believed").hasSize(3);
  }

  @Test
  void tenThousandApplicationsComeInBoundedParts() {
    Cluster cluster =
        cluster(IntStream.range(0, 10_000).mapToObj(i -> record(i + 1, "user" + i % 50)).toList());
    RecordingChannel channel = new RecordingChannel();

    curious(cluster, 1, channel);

    List<Directive.Users> parts = users(channel);
    assertThat(parts).hasSize(10);
    assertThat(parts).extracting(Directive.Users::first).startsWith(true).containsOnlyOnce(true);
    assertThat(parts).extracting(Directive.Users::last).endsWith(true).containsOnlyOnce(true);
    List<ApplicationId> told = new ArrayList<>();
    for (Directive.Users part : parts) {
      long size = part.applications().values().stream().mapToLong(List::size).sum();
      assertThat(size).isEqualTo(UserFeed.PART);
      part.applications().values().forEach(told::addAll);
    }
    assertThat(told).hasSize(10_000).doesNotHaveDuplicates();
  }

  @Test
  void aSlowServerIsToldWhatIsTrueOnceItListens() {
    Cluster cluster = cluster(List.of());
    RecordingChannel channel = new RecordingChannel();
    channel.setReady(false);
    ServerSession session = curious(cluster, 1, channel);
    register(cluster, record(1, "ada"), record(2, "bob"));
    cluster.unregister(id(1));

    channel.setReady(true);
    session.ready();

    assertThat(channel.sent())
        .containsExactly(
            new Directive.Welcome(4, 1_000),
            new Directive.RemoveApplication(id(1)),
            new Directive.Users(true, true, Map.of("bob", List.of(id(2)))));
  }

  @Test
  void theNextSessionBeginsAnewAndTheLastOneHearsNoMore() {
    Cluster cluster = cluster(List.of(record(1, "ada")));
    RecordingChannel before = new RecordingChannel();
    RecordingChannel after = new RecordingChannel();
    curious(cluster, 1, before);

    curious(cluster, 1, after);
    register(cluster, record(2, "bob"));

    assertThat(users(before)).hasSize(1);
    assertThat(users(after))
        .containsExactly(
            new Directive.Users(true, true, Map.of("ada", List.of(id(1)))),
            new Directive.Users(false, false, Map.of("bob", List.of(id(2)))));
  }
}

package io.sluice.coordinator.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * One server over many lives, with a store and without one, reporting or not, and an operator who
 * cannot make up his mind: what is said of it must be possible.
 */
final class MembershipPropertyTest {
  private static final SilenceLimits LIMITS =
      new SilenceLimits(
          TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(30), TimeUnit.SECONDS.toNanos(120));

  private static final List<Intent> INTENTS = List.of(Intent.values());

  @Property(tries = 300)
  void goesThroughDrawnTransitionsOnlyAndNeverTakesALossBack(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 80) int steps) {
    Life life = new Life(new Random(seed));
    for (int i = 0; i < steps; i++) {
      life.step();
      life.checkNow();
    }
  }

  private static final class Life implements MembershipListener {
    private final Random random;
    private final ManualScheduler scheduler = new ManualScheduler();
    private final Membership membership =
        new Membership(scheduler, LIMITS, new Term(1, List.of(), List.of(), Set.of()), this);
    private RecordingChannel channel = new RecordingChannel();
    private ServerAddress claimed = Servers.address(1, 1);
    private boolean stops;
    private boolean decommissioned;
    private boolean broken;
    private long lastHeard;

    // What was said last, and the highest life that was given up.
    private @Nullable ServerView last;
    private long lost;

    Life(Random random) {
      this.random = random;
    }

    void step() {
      switch (random.nextInt(8)) {
        case 0 -> begin(next(false));
        case 1 -> begin(next(true));
        case 2 -> begin(claimed);
        case 3 -> {
          decommissioned = random.nextBoolean();
          membership.decommission(Servers.id(1), decommissioned);
        }
        case 4 -> report(INTENTS.get(random.nextInt(INTENTS.size())));
        case 5 -> scheduler.advance(random.nextInt(130), TimeUnit.SECONDS);
        case 6 -> membership.disconnected(Servers.id(1), channel);
        default -> {
          scheduler.advance(random.nextInt(6), TimeUnit.SECONDS);
          report(Intent.SERVE);
        }
      }
    }

    private ServerAddress next(boolean intact) {
      long incarnation = claimed.incarnation() + 1 + random.nextInt(2);
      long since = intact ? claimed.intactSince() : incarnation;
      return Servers.intact(1, incarnation, since).address();
    }

    private void begin(ServerAddress life) {
      boolean other = life.incarnation() != claimed.incarnation();
      claimed = life;
      channel = new RecordingChannel();
      ServerHello hello = new ServerHello(life, "test", List.of(), "", false);
      boolean admitted =
          membership.hello(hello, channel, new Directive.Welcome(1, 1000), DirectiveFeed.NONE);

      assertThat(admitted).as("%s, lost is %d", life, lost).isEqualTo(life.intactSince() > lost);
      if (!admitted) {
        Directive.Fence fence = (Directive.Fence) channel.sent().get(0);
        assertThat(fence.incarnation()).isGreaterThanOrEqualTo(life.incarnation());
        return;
      }
      stops &= !other;
      broken = false;
      lastHeard = scheduler.nanoTime();
      membership.report(Servers.id(1), channel, Servers.report(9), true);
    }

    private void report(Intent intent) {
      boolean works = random.nextBoolean();
      boolean taken =
          membership.report(
              Servers.id(1), channel, new ServerReport(Servers.withDisks(9, works), intent), false);
      if (taken) {
        broken = !works;
        stops |= intent == Intent.STOP;
        lastHeard = scheduler.nanoTime();
      }
    }

    @Override
    public void changed(ServerView now) {
      ServerView before = last;
      last = now;
      if (now.state() == ServerState.LOST) {
        lost = now.address().incarnation();
      } else {
        assertThat(now.address().intactSince()).as("keeps no life given up").isGreaterThan(lost);
      }
      if (before == null) {
        return;
      }
      boolean sameLife = before.address().incarnation() == now.address().incarnation();
      if (sameLife) {
        assertThat(now.state().mayFollow(before.state())).as("%s, %s", before, now).isTrue();
      } else if (before.state() != ServerState.LOST) {
        assertThat(now.address().keeps(before.address().incarnation())).isTrue();
      }
    }

    @Override
    public void forgotten(ServerView server) {
      last = null;
      lost = 0;
    }

    void checkNow() {
      ServerView view = membership.view(Servers.id(1));
      assertThat(membership.countByState())
          .allSatisfy(
              (state, count) ->
                  assertThat(count)
                      .as("servers that are " + state)
                      .isEqualTo(view != null && view.state() == state ? 1 : 0));
      if (view == null) {
        return;
      }
      assertThat(view.state())
          .isNotEqualTo(decommissioned || broken ? ServerState.ACTIVE : ServerState.UNHEALTHY)
          .isNotEqualTo(decommissioned ? ServerState.UNHEALTHY : ServerState.DRAINING);
      if (view.state() == ServerState.LOST) {
        return;
      }
      long silence = scheduler.nanoTime() - lastHeard;
      if (stops) {
        assertThat(view.state()).isEqualTo(ServerState.RESTARTING);
        assertThat(silence).isLessThan(LIMITS.restartGraceNanos());
      } else {
        assertThat(view.state() == ServerState.SUSPECT)
            .as("suspect after %d ns", silence)
            .isEqualTo(silence >= LIMITS.suspectAfterNanos());
        assertThat(silence).isLessThan(LIMITS.lostAfterNanos());
      }
    }
  }
}

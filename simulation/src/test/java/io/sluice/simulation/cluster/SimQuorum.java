package io.sluice.simulation.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.simulation.invariant.TermBook;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The coordinators: processes that come and go, and whoever of them leads, if anybody does. */
public final class SimQuorum {
  /** What a client gives one attempt of a call. */
  private static final long CALL_DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** After which gRPC's keepalive ends a connection on which nothing comes. */
  static final long KEEPALIVE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final World world;
  private final ClusterRules rules;
  private final Dice dice;
  private final long maxDelayNanos;
  private final SimZooKeeper zooKeeper;
  private final @Nullable CoordinatorNode[] members;
  private final TermBook issues = new TermBook();

  /**
   * @param members how many coordinators there are
   * @param maxDelayNanos of one call or answer
   */
  public SimQuorum(World world, ClusterRules rules, int members, long maxDelayNanos) {
    this.world = world;
    this.rules = rules;
    this.dice = world.forkDice();
    this.maxDelayNanos = maxDelayNanos;
    this.zooKeeper = new SimZooKeeper(world.events(), world.forkDice());
    this.members = new CoordinatorNode[members];
  }

  /** Starts every member that is down. */
  public void start() {
    for (int i = 0; i < members.length; i++) {
      if (members[i] == null) {
        int member = i;
        CoordinatorNode started = new CoordinatorNode(world, "coordinator" + i, rules, zooKeeper);
        world.note(started.process(), "started");
        members[member] = started;
        started.process().onDeath(() -> members[member] = null);
        zooKeeper.join(started);
      }
    }
  }

  /** The leader dies; harmless if there is none. */
  public void crashLeader() {
    CoordinatorNode current = leader();
    if (current != null) {
      world.count(ProcessFault.LEADER_CRASH);
      current.process().kill();
    }
  }

  /** The leader's process is stopped for a while, and then goes on as if nothing had happened. */
  public void freezeLeader(long nanos) {
    CoordinatorNode current = leader();
    if (current == null || current.process().isFrozen()) {
      return;
    }
    world.count(ProcessFault.LEADER_FREEZE);
    current.process().freeze(nanos);
    zooKeeper.froze(current, nanos);
    // It finds the question when it thaws, before or behind the news that it lost the election.
    world.events().after(dice.between(1, nanos), current, "is asked", () -> ask(current));
    world
        .events()
        .after(
            KEEPALIVE_NANOS,
            current,
            "is silent",
            () -> {
              if (current.process().isFrozen()) {
                current.silent();
              }
            });
  }

  private void ask(CoordinatorNode asked) {
    long newest = terms();
    asked
        .process()
        .run(
            () -> {
              if (asked.leads()) {
                long term = asked.cluster().term();
                CompletionStage<Void> answer = asked.cluster().stillLeads();
                answer.whenComplete(
                    (leads, refused) -> {
                      if (refused == null) {
                        issues.issued("what was frozen", term, newest);
                      }
                    });
              }
            });
  }

  /** Whatever a leader gives away is noted here. */
  public CompletionStage<Void> issued(String what, Cluster leader) {
    long newest = terms();
    return leader.stillLeads().thenRun(() -> issues.issued(what, leader.term(), newest));
  }

  /** In whose name things were issued. */
  public TermBook issues() {
    return issues;
  }

  /** ZooKeeper tells everybody that he still leads. */
  public void flatterLeaders() {
    zooKeeper.flatter();
  }

  /** The leader cannot reach ZooKeeper for a while. */
  public void cutLeader(long nanos) {
    CoordinatorNode current = leader();
    if (current != null) {
      world.count(ProcessFault.LEADER_CUT_OFF);
      world.note(current, "is cut off from ZooKeeper");
      zooKeeper.cut(current, nanos);
    }
  }

  /** ZooKeeper is away for a while. */
  public void loseZooKeeper(long nanos) {
    world.count(ProcessFault.ZOOKEEPER_AWAY);
    world.note(zooKeeper, "is away");
    zooKeeper.away(nanos);
  }

  /** No faults from here on. */
  public void mend() {
    zooKeeper.back();
    processes().forEach(SimProcess::thaw);
    start();
  }

  /** The processes that there are. */
  public List<SimProcess> processes() {
    List<SimProcess> processes = new ArrayList<>();
    for (CoordinatorNode member : members) {
      if (member != null) {
        processes.add(member.process());
      }
    }
    return processes;
  }

  /** Terms begun so far. */
  public long terms() {
    return zooKeeper.terms();
  }

  /** Who says that it leads; one of them, should there be two. */
  @Nullable CoordinatorNode leader() {
    List<CoordinatorNode> leaders = new ArrayList<>();
    for (CoordinatorNode member : members) {
      if (member != null && member.leads()) {
        leaders.add(member);
      }
    }
    return leaders.isEmpty() ? null : dice.pick(leaders);
  }

  long maxDelayNanos() {
    return maxDelayNanos;
  }

  long delay() {
    return dice.skewed(1, maxDelayNanos);
  }

  /**
   * A call from a driver, and its answer on the driver's loop: the cluster's, or
   * COORDINATOR_UNAVAILABLE if there is no leader, or none that answers in time.
   */
  public <T> CompletableFuture<T> call(
      SimLoop caller, Function<Cluster, CompletionStage<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CoordinatorNode asked = leader();
    if (asked == null) {
      fail(caller, answer, unavailable("no coordinator leads"));
      return answer;
    }
    asked.process().onDeath(() -> fail(caller, answer, unavailable("the leader died")));
    Cancellable deadline =
        caller.schedule(
            CALL_DEADLINE_NANOS,
            () -> answer.completeExceptionally(unavailable("no answer in time")));
    world
        .events()
        .after(
            delay(),
            asked.control(),
            "is called",
            () -> asked.process().run(() -> serve(asked, caller, answer, request)));
    return answer.whenComplete((result, failure) -> deadline.cancel());
  }

  /** A call whose answer nobody waits for. */
  public void tell(Consumer<Cluster> request) {
    CoordinatorNode told = leader();
    if (told == null) {
      return;
    }
    world
        .events()
        .after(
            delay(),
            told.control(),
            "is told",
            () -> told.process().run(() -> hear(told, request)));
  }

  private void hear(CoordinatorNode told, Consumer<Cluster> request) {
    try {
      request.accept(told.cluster());
    } catch (SluiceException refused) {
      world.note(told.process(), "refuses: " + refused.getMessage());
    }
  }

  private <T> void serve(
      CoordinatorNode asked,
      SimLoop caller,
      CompletableFuture<T> answer,
      Function<Cluster, CompletionStage<T>> request) {
    CompletionStage<T> served;
    try {
      served = request.apply(asked.cluster());
    } catch (SluiceException refused) {
      fail(caller, answer, refused);
      return;
    }
    served.whenComplete(
        (result, failure) -> {
          if (failure != null) {
            fail(caller, answer, failure);
          } else {
            answer(caller, () -> answer.complete(result));
          }
        });
  }

  private void fail(SimLoop caller, CompletableFuture<?> answer, Throwable failure) {
    answer(caller, () -> answer.completeExceptionally(failure));
  }

  private void answer(SimLoop caller, Runnable step) {
    world.events().after(delay(), caller, "is answered", () -> caller.process().run(step));
  }

  private static SluiceException unavailable(String why) {
    return new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, why);
  }
}

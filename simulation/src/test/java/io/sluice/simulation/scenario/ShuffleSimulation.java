package io.sluice.simulation.scenario;

import static io.sluice.simulation.invariant.Invariant.EVENTUALLY_QUIET;
import static io.sluice.simulation.invariant.Invariant.NOTHING_LEFT_AFTER_EXPIRY;
import static io.sluice.simulation.invariant.Invariant.NO_STRANDED_WAITER;
import static io.sluice.simulation.invariant.Invariant.NO_UNEXPECTED_FAILURE;

import io.sluice.simulation.cluster.ProcessFault;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.invariant.EpochBook;
import io.sluice.simulation.invariant.ErrorLogWatch;
import io.sluice.simulation.invariant.Violation;
import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.network.Fault;
import io.sluice.simulation.network.SimNetwork;
import io.sluice.simulation.task.SimTask;
import io.sluice.simulation.task.SimTasks;
import io.sluice.simulation.task.TaskThreads;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One simulation, from seed to verdict. */
final class ShuffleSimulation {
  private static final long MAX_EVENTS = 3_000_000;
  private static final long MAX_JOB_NANOS = Shape.seconds(3600);
  private static final long MAX_AFTERLIFE_NANOS = Shape.seconds(600);

  private final Shape shape;
  private final ErrorLogWatch log;
  private final Trace trace = new Trace();
  private final EventQueue events;
  private final SimTasks tasks;
  private final Cluster cluster;
  private final FaultPlan faults;
  private final List<Job> jobs = new ArrayList<>();
  private final Census census;

  ShuffleSimulation(long seed, Sabotage sabotage, Equipment equipment) {
    Dice dice = new Dice(seed);
    this.log = equipment.log();
    this.shape = Shape.draw(dice);
    this.events = new EventQueue(dice.fork(), trace);
    this.tasks = new SimTasks(equipment.threads(), dice.fork());
    this.log.take(); // from here on it listens to this thread
    SimNetwork network = new SimNetwork(events, dice.fork(), shape.network());
    World world = new World(dice.fork(), events, network, equipment.memory());
    EpochBook epochs = new EpochBook();
    Watched watched =
        new Watched(
            sabotage,
            epochs,
            () -> network.counts().containsKey(Fault.WIRE_FLIP),
            2 * shape.network().maxStallNanos() >= shape.server().core().credit().reclaimNanos());
    this.cluster = Cluster.of(world, shape, tasks, watched, dice.fork());
    this.faults = new FaultPlan(cluster, shape, sabotage.leastStops(), dice.fork());
    for (Application application : cluster.applications()) {
      jobs.add(new Job(cluster, application, shape, sabotage, dice.fork(), faults::mend));
    }
    this.census = new Census(cluster, shape, jobs, epochs);
  }

  /**
   * What simulations share one after another.
   *
   * @param log is empty before and after each
   */
  record Equipment(TaskThreads threads, DirectMemory memory, ErrorLogWatch log) {}

  /**
   * Runs to the end.
   *
   * @throws Violation if an invariant does not hold
   */
  Summary run() {
    try (tasks) {
      faults.start();
      for (Job job : jobs) {
        Application application = job.application();
        tasks.start(application + "/driver", application.driver().process(), job, this::rethrow);
      }
      runJobs();
      runAfterlife();
      census.checkEmpty();
    } finally {
      log.take();
    }
    return new Summary(
        events.eventsRun(),
        events.nanoTime(),
        jobs.stream().mapToInt(Job::restarts).sum(),
        cluster.misfortunes(),
        cluster.diskFaults(),
        census.coverage(),
        cluster.servers().stream().mapToInt(SimServer::intactStarts).sum(),
        cluster.applications().stream().mapToInt(each -> each.driver().epochs()).sum(),
        cluster.quorum().terms(),
        cluster.world().faults(),
        trace.fingerprint());
  }

  private void rethrow(SimTask driver) {
    Throwable failure = driver.failure();
    if (failure instanceof Violation violation) {
      throw violation;
    }
    if (failure != null) {
      throw new Violation(NO_UNEXPECTED_FAILURE, driver + " failed", failure);
    }
  }

  private void runJobs() {
    while (tasks.areRunning()) {
      step();
      if (events.nanoTime() > MAX_JOB_NANOS || events.eventsRun() > MAX_EVENTS) {
        List<SimTask> waiting = tasks.unfinished().stream().filter(SimTask::isWaiting).toList();
        throw new Violation(
            waiting.isEmpty() ? EVENTUALLY_QUIET : NO_STRANDED_WAITER,
            "no end in sight after " + events.eventsRun() + " events; waiting: " + waiting);
      }
    }
    Violation.unless(
        !shape.calm() || jobs.stream().allMatch(job -> job.restarts() == 0),
        NO_UNEXPECTED_FAILURE,
        "a calm job had to start over");
  }

  /** The applications are over: their leases run out, and everything goes. */
  private void runAfterlife() {
    faults.mend();
    cluster.clients().forEach(client -> client.client().close());
    long deadline = events.nanoTime() + MAX_AFTERLIFE_NANOS;
    String left = census.left();
    while (left != null) {
      long look = events.nanoTime() + Shape.seconds(1);
      while (events.nanoTime() < look) {
        step();
      }
      left = census.left();
      Violation.unless(events.nanoTime() < deadline, NOTHING_LEFT_AFTER_EXPIRY, "" + left);
    }
  }

  private void step() {
    try {
      if (!events.step()) {
        throw new Violation(NO_STRANDED_WAITER, "nothing will happen; left: " + tasks.unfinished());
      }
    } catch (RuntimeException unexpected) {
      throw new Violation(NO_UNEXPECTED_FAILURE, "thrown out of an event", unexpected);
    }
    List<String> errors = log.take();
    Violation.unless(errors.isEmpty(), NO_UNEXPECTED_FAILURE, "logged: " + errors);
    census.look();
  }

  /** Whether any shuffle has replicas. */
  boolean replicates() {
    return shape.workloads().stream().anyMatch(workload -> workload.replicas() > 1);
  }

  /** The last events, for whoever has to find out why. */
  Trace trace() {
    return trace;
  }

  @Override
  public String toString() {
    return shape.toString();
  }

  /**
   * How it went.
   *
   * @param intactStarts of servers that were stopped in order
   * @param epochs made by drivers
   * @param terms begun by coordinators
   * @param processFaults that befell whole processes, besides death
   * @param fingerprint of all events in order
   */
  record Summary(
      long events,
      long nanos,
      int restarts,
      Misfortunes misfortunes,
      Map<ServerDisk.Fault, Integer> diskFaults,
      Coverage coverage,
      int intactStarts,
      int epochs,
      long terms,
      Map<ProcessFault, Integer> processFaults,
      long fingerprint) {}
}

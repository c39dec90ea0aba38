package io.sluice.simulation.scenario;

import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.replication.AckRule;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.invariant.AckBook.Output;
import io.sluice.simulation.invariant.AttemptLog;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import io.sluice.simulation.scenario.ReadTask.Range;
import io.sluice.simulation.task.SimTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The readers of a stage, and the judgement over what they report missing. */
final class ReadStage {
  private final Job job;
  private final Stage stage;
  private final Map<SimServer, History> histories;
  private final Misfortunes atPlacement;

  ReadStage(Job job, Stage stage, Map<SimServer, History> histories, Misfortunes atPlacement) {
    this.job = job;
    this.stage = stage;
    this.atPlacement = atPlacement;
    this.histories = histories;
  }

  /** Whether every reader has found everything; at the end one reads all there is. */
  boolean run(SimTask task) throws Exception {
    List<ReadTask> reads = new ArrayList<>();
    for (int i = 0; i < job.workload().readers(); i++) {
      reads.add(read(Range.draw(job.workload(), job.dice())));
    }
    return complete(reads) && complete(List.of(read(Range.all(job.workload()))));
  }

  private ReadTask read(Range range) {
    long deadline = job.workload().client().blockDeadline().toNanos();
    return new ReadTask(stage, range, deadline, job.dice().fork(), job.sabotage()::reader);
  }

  private boolean complete(List<ReadTask> reads) throws Exception {
    Misfortunes before = job.cluster().misfortunes();
    boolean someDown = job.cluster().servers().stream().anyMatch(SimServer::isAway);
    try {
      job.runAll(reads);
    } catch (SluiceException failure) {
      boolean excused = !job.shape().calm() && failure.code() != ErrorCode.INTERNAL_ERROR;
      if (!excused) {
        throw new Violation(Invariant.NO_UNEXPECTED_FAILURE, "a reader failed", failure);
      }
      return false;
    }
    boolean complete = true;
    for (ReadTask read : reads) {
      MissingBlocksException missing = read.missing();
      if (missing != null) {
        complete = false;
        judge(missing, read, before, someDown);
        checkClaims(missing, read);
        checkRest(read, before);
      }
    }
    return complete;
  }

  /** Everything reported missing must be lost, or have been in somebody's way. */
  private void judge(
      MissingBlocksException missing, ReadTask read, Misfortunes before, boolean someDown) {
    // Unless servers check what they receive, a bit may have been flipped on its way in.
    Misfortunes since = job.shape().server().verifyCrc() ? before : atPlacement;
    Misfortunes now = job.cluster().misfortunes();
    boolean unreachable = mayBeUnreachable(missing, now, before, someDown);
    for (MissingMap map : missing.maps()) {
      AttemptLog winner = read.winners().get(map.mapIndex());
      if (winner == null) {
        throw new Violation(
            Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING,
            "reported missing, but never asked for: " + map);
      }
      List<List<PlacedServer>> sets = sets(winner, map.partition());
      List<PlacedServer> asked = sets.stream().flatMap(List::stream).distinct().toList();
      boolean excused =
          answered(missing, asked)
              ? now.flips() != since.flips() || isLost(map, asked)
              : unreachable
                  || now.network() != since.network()
                  || sets.stream().anyMatch(this::isBeyondBudget);
      if (!excused) {
        throw unexcused(map, asked, missing);
      }
    }
  }

  private void checkClaims(MissingBlocksException missing, ReadTask read) throws Exception {
    Claims claims = new Claims(job, stage);
    for (MissingMap map : missing.maps()) {
      AttemptLog winner = Objects.requireNonNull(read.winners().get(map.mapIndex()));
      List<PlacedServer> asked =
          sets(winner, map.partition()).stream().flatMap(List::stream).distinct().toList();
      if (answered(missing, asked)
          && job.cluster().misfortunes().network() == atPlacement.network()) {
        claims.check(map, winner);
      }
    }
  }

  /** Whether somebody was in the way for so long that a server was given up that has everything. */
  private boolean mayBeUnreachable(
      MissingBlocksException missing, Misfortunes now, Misfortunes before, boolean someDown) {
    boolean paused = now.pauses() != before.pauses();
    boolean slow = now.stalls() != before.stalls() || before.halfOpen() > 0 || paused;
    boolean late = missing.code() == ErrorCode.TIMED_OUT && slow;
    // Somebody was down for a while when this was read: not all of it could be reached, unless
    // others had it too.
    boolean away =
        job.workload().replicas() == 1 && (someDown || paused || now.lives() != before.lives());
    return late || away;
  }

  /**
   * Whether there are no replicas, and every server that might have an output has said what it has
   * of it: then nothing was in the way, and only a loss excuses what is missing.
   */
  private boolean answered(MissingBlocksException missing, List<PlacedServer> asked) {
    return job.workload().replicas() == 1
        && missing.complaints().stream().map(Complaint::server).noneMatch(asked::contains);
  }

  /**
   * Whether every life is gone that has acknowledged some block of an output, or a disk of one of
   * these servers has failed since, or it was told that the application had ended.
   */
  private boolean isLost(MissingMap map, List<PlacedServer> asked) {
    ShuffleKey shuffle = stage.placement().shuffle();
    Output output = new Output(shuffle, map.mapIndex(), map.attemptId(), map.partition());
    Cluster cluster = job.cluster();
    return cluster
            .acks()
            .isLost(output, life -> !cluster.server(life.server()).keeps(life.incarnation()))
        || asked.stream()
            .map(cluster::server)
            .anyMatch(
                server ->
                    Misfortunes.losesUnits(server) || server.hasDropped(shuffle.application()));
  }

  private Violation unexcused(
      MissingMap map, List<PlacedServer> asked, MissingBlocksException missing) {
    boolean restarted =
        asked.stream()
            .map(job.cluster()::server)
            .anyMatch(server -> server.lives() != history(server).lives());
    return new Violation(
        restarted
            ? Invariant.AN_INTACT_LIFE_HAS_EVERYTHING
            : Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING,
        map
            + " is reported missing, and "
            + (restarted ? "only orderly stops" : "nothing")
            + " happened to "
            + asked,
        missing);
  }

  /** Whether so many members of a set were struck that none may be left which had everything. */
  private boolean isBeyondBudget(List<PlacedServer> set) {
    boolean replicated = set.size() > 1;
    long struck =
        set.stream()
            .map(job.cluster()::server)
            .filter(
                server ->
                    Misfortunes.excuse(server, history(server).losses())
                        || (replicated && !History.of(server).equals(history(server))))
            .count();
    AckRule rule = job.shape().server().core().replication().ack();
    int holders = rule == AckRule.ALL ? set.size() : set.size() / 2 + 1;
    return struck >= holders;
  }

  private History history(SimServer server) {
    return histories.getOrDefault(server, History.NONE);
  }

  /** Where blocks of an attempt may be: the sets that its epochs name. */
  private List<List<PlacedServer>> sets(AttemptLog winner, int partition) {
    ShufflePlacement placement = job.application().driver().newest(stage.placement().shuffle());
    List<List<PlacedServer>> sets = new ArrayList<>();
    for (int epoch = 0; epoch <= winner.lastEpoch(); epoch++) {
      boolean used =
          epoch > winner.firstEpoch()
              ? placement.nextNamed(epoch, partition) == partition
              : epoch == placement.epochOf(partition, winner.firstEpoch());
      if (used) {
        List<PlacedServer> set = new ArrayList<>();
        for (int replica = 0; replica < placement.replicas(epoch); replica++) {
          set.add(placement.servers().get(placement.server(epoch, partition, replica)));
        }
        sets.add(set);
      }
    }
    return sets;
  }

  /** What a reader does not report missing must be there, unless more went wrong meanwhile. */
  private void checkRest(ReadTask read, Misfortunes before) throws Exception {
    ReadTask rest = read.ofTheRest();
    try {
      job.runAll(List.of(rest));
    } catch (SluiceException failure) {
      return; // says nothing about what is there
    }
    MissingBlocksException missing = rest.missing();
    if (missing != null
        && job.cluster().misfortunes().equals(before)
        && !missing.maps().stream().allMatch(map -> wasInMemory(map, rest))) {
      throw new Violation(
          Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING,
          "a second read misses what the first one did not report",
          missing);
    }
  }

  /** Whether the first reader may have had it from a cache, as it is not on the disk any more. */
  private boolean wasInMemory(MissingMap map, ReadTask read) {
    AttemptLog winner = Objects.requireNonNull(read.winners().get(map.mapIndex()));
    return sets(winner, map.partition()).stream()
        .flatMap(List::stream)
        .map(job.cluster()::server)
        .flatMap(server -> server.disks().stream())
        .anyMatch(ServerDisk::hidesDamage);
  }
}

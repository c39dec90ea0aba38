package io.sluice.client.epoch;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a driver knows of servers: what the coordinator says, and what its tasks met there since.
 * Thread-safe.
 */
public final class ServerBook implements ServerListener {
  /**
   * How long a server that tasks could not reach gets no more partitions: after as long the
   * coordinator has an opinion of its own.
   */
  private static final long UNREACHABLE_NANOS = Duration.ofSeconds(30).toNanos();

  /**
   * The same for one that had no room. A moment only, lest all servers of a full cluster be out;
   * long enough that partitions do not go in circles between two of them. One that had none for
   * long is as one that could not be reached, but for sets that have nobody in its place.
   */
  private static final long FULL_NANOS = Duration.ofSeconds(5).toNanos();

  private final Clock clock;
  private volatile LongConsumer returns = nanos -> {};

  // Guarded by this. Reports are of servers in `servers` or in placements: as many at most.
  private final Map<ServerId, ServerStatus> servers = new HashMap<>();
  private final Map<ServerId, Report> reports = new HashMap<>();
  private boolean heard;
  // Whether a coordinator is heard now: what none renews is not waited for.
  private boolean current;
  // Whether a server that is not in `servers` is not there at all; else nobody has said.
  private boolean complete;

  public ServerBook(Clock clock) {
    this.clock = clock;
  }

  @Override
  public synchronized void snapshot(List<ServerStatus> all) {
    heard = true;
    current = true;
    complete = true;
    replace(all);
  }

  @Override
  public synchronized void some(List<ServerStatus> some) {
    heard = true;
    current = true;
    complete = false;
    replace(some);
  }

  private void replace(List<ServerStatus> now) {
    Map<ServerId, ServerStatus> before = new HashMap<>(servers);
    servers.clear();
    for (ServerStatus status : now) {
      servers.put(status.server().id(), status);
      forgive(before.get(status.server().id()), status);
    }
  }

  @Override
  public synchronized void changed(ServerStatus status) {
    forgive(servers.put(status.server().id(), status), status);
  }

  private void forgive(@Nullable ServerStatus before, ServerStatus status) {
    if (before != null
        && before.state() != ServerStatus.State.ACTIVE
        && status.state() == ServerStatus.State.ACTIVE) {
      // What tasks met before a coordinator heard it again is older than that.
      reports.remove(status.server().id());
    }
  }

  @Override
  public synchronized void unheard() {
    current = false;
  }

  /**
   * Has somebody told when a server that tasks could not reach may get partitions again although no
   * coordinator says anything new: in how many nanoseconds, at each report of one. To be called
   * before there is any.
   *
   * @param whom must not block
   */
  public void tellReturns(LongConsumer whom) {
    returns = whom;
  }

  /** A task met a server that does not do its part. */
  public void report(Complaint complaint) {
    if (!complaint.isOfServer()) {
      return; // It does for other partitions.
    }
    note(complaint);
    if (!complaint.isOfCapacity()) {
      returns.accept(UNREACHABLE_NANOS);
    }
  }

  private static long length(Complaint complaint) {
    boolean moment = complaint.isOfCapacity() && !complaint.isForLong();
    return moment ? FULL_NANOS : UNREACHABLE_NANOS;
  }

  private synchronized void note(Complaint complaint) {
    long now = clock.nanoTime();
    reports.values().removeIf(report -> report.until - now <= 0);
    long until = now + length(complaint);
    reports.merge(complaint.server().id(), new Report(complaint, until), Report::orLater);
  }

  /** In how many nanoseconds the next report of {@link #tellReturns} ends; 0 if there is none. */
  public synchronized long nextReturn() {
    long now = clock.nanoTime();
    return reports.values().stream()
        .filter(report -> report.unreachable && report.until - now > 0)
        .mapToLong(report -> report.until - now)
        .min()
        .orElse(0);
  }

  /** Servers that may be given partitions, as far as is known; those of a placement otherwise. */
  public synchronized List<LiveServer> live(List<PlacedServer> otherwise) {
    List<LiveServer> live = new ArrayList<>();
    if (!heard) {
      for (PlacedServer server : otherwise) {
        if (!isReported(server)) {
          live.add(new LiveServer(server, 1));
        }
      }
      return live;
    }
    for (ServerStatus status : servers.values()) {
      if (status.state() == ServerStatus.State.ACTIVE
          && status.suitable()
          && !isReported(status.server())) {
        live.add(new LiveServer(status.server(), Math.max(1, status.weight()), status.place()));
      }
    }
    return live;
  }

  private boolean isReported(PlacedServer server) {
    Report report = reports.get(server.id());
    return report != null
        && report.incarnation >= server.incarnation()
        && report.until - clock.nanoTime() > 0;
  }

  /** Whether a life of a server should get no more blocks. */
  @Override
  public synchronized boolean isAway(PlacedServer placed) {
    if (isReported(placed)) {
      return true;
    }
    return isOut(placed);
  }

  /** Whether all that is wrong with a server that is away is that it had no room lately. */
  public synchronized boolean isCrowded(PlacedServer placed) {
    Report report = reports.get(placed.id());
    return report != null && report.full && isReported(placed) && !isOut(placed);
  }

  private boolean isOut(PlacedServer placed) {
    ServerStatus status = servers.get(placed.id());
    return status == null
        ? complete
        : status.state() != ServerStatus.State.ACTIVE || !status.keeps(placed.incarnation());
  }

  /** Whether something that a life of a server acknowledged is gone. */
  public synchronized boolean isLost(PlacedServer placed) {
    ServerStatus status = servers.get(placed.id());
    return status == null ? complete : !status.keeps(placed.incarnation());
  }

  /**
   * Whether a coordinator that is heard hears a server, which has everything that a life of it
   * acknowledged: who cannot reach it has no way there.
   */
  public synchronized boolean isThere(PlacedServer placed) {
    ServerStatus status = servers.get(placed.id());
    return current && status != null && status.keeps(placed.incarnation()) && !isSilent(placed);
  }

  /** Whether the coordinator has not heard a server for a while, and has not given it up. */
  public synchronized boolean isSilent(PlacedServer placed) {
    ServerStatus status = servers.get(placed.id());
    return status != null
        && (status.state() == ServerStatus.State.SUSPECT
            || status.state() == ServerStatus.State.RESTARTING)
        && status.keeps(placed.incarnation());
  }

  /**
   * The later life of a server that is there without all that a life of it acknowledged: what had
   * reached its disks may be had from it.
   */
  public synchronized Optional<PlacedServer> later(PlacedServer placed) {
    ServerStatus status = servers.get(placed.id());
    if (status == null || status.state() == ServerStatus.State.LOST) {
      return Optional.empty();
    }
    boolean later = status.server().incarnation() > placed.incarnation();
    return later && !status.keeps(placed.incarnation())
        ? Optional.of(status.server())
        : Optional.empty();
  }

  /**
   * Whether a coordinator has told of a life of a server, or of a later one, or has told of all
   * servers and has none like it: nothing more is to be heard of it then.
   */
  public synchronized boolean knows(PlacedServer life) {
    ServerStatus status = servers.get(life.id());
    return status == null ? complete : status.server().incarnation() >= life.incarnation();
  }

  /** What becomes of a server that a task cannot reach, and where it is now. */
  public synchronized Whereabouts whereabouts(PlacedServer placed) {
    if (isLost(placed) && later(placed).isEmpty()) {
      return Whereabouts.of(Prospect.LOST);
    }
    Prospect prospect = current && isSilent(placed) ? Prospect.RETURNS : Prospect.UNKNOWN;
    ServerStatus status = servers.get(placed.id());
    return status == null ? Whereabouts.of(prospect) : Whereabouts.of(prospect, status.server());
  }

  /** How the servers fare, for people who wonder why none takes partitions. */
  public synchronized String census() {
    if (!heard) {
      return "no coordinator was heard yet, and tasks could use none of the placement's servers";
    }
    Map<ServerStatus.State, Integer> states = new EnumMap<>(ServerStatus.State.class);
    int unsuitable = 0;
    int full = 0;
    int unreachable = 0;
    for (ServerStatus status : servers.values()) {
      states.merge(status.state(), 1, Integer::sum);
      if (status.state() == ServerStatus.State.ACTIVE) {
        Report report = isReported(status.server()) ? reports.get(status.server().id()) : null;
        unsuitable += status.suitable() ? 0 : 1;
        full += report != null && report.full ? 1 : 0;
        unreachable += report != null && !report.full ? 1 : 0;
      }
    }
    return "known are "
        + states
        + ", of the active ones without room "
        + full
        + ", not reached by tasks "
        + unreachable
        + ", not for this application (tags, transport) "
        + unsuitable
        + (current ? "" : "; no coordinator is heard now");
  }

  private static final class Report {
    final long incarnation;
    final long until;
    final boolean full;
    final boolean unreachable;

    Report(Complaint complaint, long until) {
      this.incarnation = complaint.server().incarnation();
      this.until = until;
      this.full = complaint.lacksRoom();
      this.unreachable = !complaint.isOfCapacity();
    }

    /** The one of the later life, or which counts for longer. */
    Report orLater(Report other) {
      boolean same = incarnation == other.incarnation;
      boolean later = same ? other.until - until >= 0 : other.incarnation > incarnation;
      return later ? other : this;
    }
  }
}

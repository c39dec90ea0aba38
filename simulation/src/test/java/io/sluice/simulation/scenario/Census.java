package io.sluice.simulation.scenario;

import static io.sluice.simulation.invariant.Invariant.NOTHING_LEFT_AFTER_EXPIRY;
import static io.sluice.simulation.invariant.Invariant.RESERVATIONS_EQUAL_ACCOUNTED_BYTES;

import io.sluice.server.ServerCore;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.Quotas;
import io.sluice.simulation.cluster.ServerNode;
import io.sluice.simulation.cluster.SimClient;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.invariant.EpochBook;
import io.sluice.simulation.invariant.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts what servers and clients hold: at every moment, and when nothing may be left. */
final class Census {
  /** Adding up is slow beside most events, and what does not add up stays so. */
  private static final int EVENTS_PER_SUM = 64;

  private final Cluster cluster;
  private final Shape shape;
  private final List<Job> jobs;
  private final EpochBook epochs;
  private final List<Seen> servers;
  private long looks;

  Census(Cluster cluster, Shape shape, List<Job> jobs, EpochBook epochs) {
    this.cluster = cluster;
    this.shape = shape;
    this.jobs = jobs;
    this.epochs = epochs;
    this.servers = cluster.servers().stream().map(Seen::new).toList();
  }

  /** What the servers have been through in the lives they have now. */
  Coverage coverage() {
    return cluster.servers().stream()
        .map(SimServer::node)
        .filter(Objects::nonNull)
        .map(node -> Coverage.of(node.core().stats()))
        .reduce(Coverage.NOTHING, Coverage::plus);
  }

  /** After every event; looks at what it can have changed. */
  void look() {
    boolean adds = looks++ % EVENTS_PER_SUM == 0;
    epochs.check();
    cluster.quorum().issues().check();
    for (Seen server : servers) {
      ServerNode ran = server.ran();
      if (ran != null) {
        checkIncarnation(server, ran);
        checkMemory(ran);
        server.unsummed = ran;
      }
      ServerNode unsummed = server.unsummed;
      if (adds && unsummed != null) {
        checkQuotas(unsummed);
        server.unsummed = null;
      }
    }
  }

  private void checkIncarnation(Seen server, ServerNode node) {
    long incarnation = node.incarnation();
    if (server.begins) {
      epochs.begins(node.id(), incarnation);
    } else if (incarnation != server.incarnation) {
      epochs.lives(node.id(), incarnation);
    }
    server.incarnation = incarnation;
  }

  private static void checkMemory(ServerNode node) {
    ChunkArena arena = node.core().arena();
    long capacity = arena.capacity();
    long taken = capacity - arena.free();
    boolean holds =
        taken >= 0
            && taken <= capacity
            && arena.chunkBytes() >= 0
            && arena.chunkBytes() <= taken
            && arena.slabBytes() <= capacity
            && arena.chunkBytes() <= arena.slabBytes();
    if (!holds) {
      throw new Violation(
          RESERVATIONS_EQUAL_ACCOUNTED_BYTES,
          String.format(
              Locale.ROOT,
              "%s: %,d of %,d bytes taken, %,d in chunks, %,d in slabs",
              node,
              taken,
              capacity,
              arena.chunkBytes(),
              arena.slabBytes()));
    }
  }

  /** What applications hold is what is held at all, and users hold what theirs do. */
  private void checkQuotas(ServerNode node) {
    Quotas quotas = node.core().quotas();
    Map<String, List<Long>> byUser = new HashMap<>();
    long all = 0;
    for (Job job : jobs) {
      ByteQuota quota = quotas.find(job.id());
      if (quota != null) {
        all += quota.used();
        byUser
            .computeIfAbsent(job.application().user(), user -> new ArrayList<>())
            .add(quota.used());
      }
    }
    boolean holds = all == quotas.used();
    for (Map.Entry<String, Long> user : quotas.usedByUser().entrySet()) {
      holds &= isSumOf(byUser.getOrDefault(user.getKey(), List.of()), user.getValue());
    }
    if (!holds) {
      throw new Violation(
          RESERVATIONS_EQUAL_ACCOUNTED_BYTES,
          String.format(
              Locale.ROOT,
              "%s: %,d bytes of all, %s of users, %s of their applications",
              node,
              quotas.used(),
              quotas.usedByUser(),
              byUser));
    }
  }

  /** Of all of them, or of some while it is not known yet whose the others are. */
  private static boolean isSumOf(List<Long> parts, long sum) {
    long all = parts.stream().mapToLong(part -> part).sum();
    return all == sum || parts.contains(sum);
  }

  /** What is left of the application on a server, or null. */
  private static @Nullable String left(SimServer server) {
    ServerNode node = server.node();
    if (node == null) {
      return server + " is down";
    }
    ServerCore core = node.core();
    int units = 0;
    int segments = 0;
    for (ServerDisk disk : server.disks()) {
      units += disk.units();
      segments += disk.segments().size();
    }
    boolean empty =
        core.shuffles().all().isEmpty()
            && core.arena().chunkBytes() == 0
            && core.readBuffers().inUse() == 0
            && core.leases().leased() == 0
            && core.leases().waiting() == 0
            && core.credit().wants() == 0
            && core.replicaCredit().wants() == 0
            && core.replication().stats().pendingBytes() == 0
            && core.tables().used() == 0
            && core.quotas().used() == 0
            && core.quotas().usedByUser().isEmpty()
            && core.convoys().size() == 0
            && core.stats().connections() == 0
            && units == 0
            && segments == 0;
    return empty
        ? null
        : String.format(
            Locale.ROOT,
            "%s: %d shuffles, %,d bytes in chunks, %s, %,d on quotas, %d read buffers, %d WANTs,"
                + " %d convoys, %d connections, %d units, %d segments",
            node,
            core.shuffles().all().size(),
            core.arena().chunkBytes(),
            core.leases(),
            core.quotas().used(),
            core.readBuffers().inUse(),
            core.credit().wants(),
            core.convoys().size(),
            core.stats().connections(),
            units,
            segments);
  }

  /** What is left of the application anywhere, or null. */
  @Nullable String left() {
    for (SimServer server : cluster.servers()) {
      String left = left(server);
      if (left != null) {
        return left;
      }
    }
    if (!cluster.clients().stream().allMatch(SimClient::isClosed)) {
      return "a client's event loops";
    }
    int connections = cluster.world().network().openConnections();
    return connections == 0 ? null : connections + " connections";
  }

  /** When nothing is left, the books must be as they were at the start. */
  void checkEmpty() {
    for (SimServer server : cluster.servers()) {
      ServerNode node = server.node();
      if (node != null) {
        Violation.unless(
            node.host().allocator().liveBuffers() == 0,
            NOTHING_LEFT_AFTER_EXPIRY,
            node + ": " + node.host().allocator().liveBuffers() + " network buffers");
        ChunkArena arena = node.core().arena();
        long taken = arena.capacity() - arena.free();
        long seeds = shape.server().core().credit().reserveBytes();
        if (arena.reserve().capacity() > 0) {
          seeds += node.core().replicaCredit().limits().reserveBytes();
        }
        Violation.unless(
            taken <= seeds,
            RESERVATIONS_EQUAL_ACCOUNTED_BYTES,
            node + ": " + taken + " bytes are promised to nobody");
      }
    }
    for (SimClient client : cluster.clients()) {
      int buffers = client.host().allocator().liveBuffers();
      Violation.unless(
          buffers == 0, NOTHING_LEFT_AFTER_EXPIRY, "a client holds " + buffers + " buffers");
    }
  }

  /** A server as it was when it was last looked at. */
  private static final class Seen {
    private final SimServer server;
    private @Nullable ServerNode node;
    private @Nullable ServerNode unsummed;
    private boolean begins;
    private long steps;
    private long incarnation;

    Seen(SimServer server) {
      this.server = server;
    }

    /** The life it has now, if that may have changed since. */
    @Nullable ServerNode ran() {
      ServerNode now = server.node();
      begins = now != node;
      node = now;
      if (now == null) {
        unsummed = null;
        return null;
      }
      boolean ran = begins || now.process().steps() != steps;
      steps = now.process().steps();
      return ran ? now : null;
    }
  }
}

package io.sluice.client.fake;

import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.ServerIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What one server knows and how it is told to behave. */
public final class FakeServer {
  final ServerId id;
  public final Map<ShuffleKey, TreeMap<Integer, List<StoredBlock>>> stored = new HashMap<>();
  final Set<ShuffleKey> removed = new HashSet<>();
  final Set<FakeConnection> connections = new HashSet<>();
  List<FakeServer> peers = List.of();
  long incarnation = 1;
  long intactSince = 1;

  public boolean up = true;
  public boolean silent;

  /** What a connect fails with while it is not {@link #up}. */
  public ErrorCode refusal = ErrorCode.CONNECT_FAILED;

  /** The host at which another server has taken its place, or null. */
  public @Nullable String strangerAt;

  /** The host where it is, and nowhere else; null: it is at any host. */
  public @Nullable String at;

  /** Until then nothing that is on its way, either way, arrives. */
  public long frozenUntil;

  public long seedCredit = 64 * 1024;
  public int maxBlockBytes = 16 << 20;

  /** What there is to grant; a negative number means plenty. */
  public long grantable = -1;

  public @Nullable ErrorCode refuseWants;

  /** How long a WANT waits before it is refused. */
  public long refusesAfterNanos;

  /** Whether it acknowledges what a majority of a set holds. */
  public boolean majorityEnough;

  /** Looks at each pushed block; a code refuses it. */
  public Function<StoredBlock, @Nullable ErrorCode> judge = block -> null;

  /** What it says it has whole, in order. */
  public final List<Whole> whole = new ArrayList<>();

  /** A map attempt, and in how many partitions it is here. */
  public record Whole(int map, long attempt, int partitions) {}

  public int inventories;

  /** Whether it refuses a second question that comes before the first is answered. */
  public boolean oneInventoryAtATime;

  /** Codes that the next fetches fail with, at once. */
  public final ArrayDeque<ErrorCode> failFetches = new ArrayDeque<>();

  /** Blocks that it cannot read: fetches leave them out, and say so in the end. */
  public Predicate<StoredBlock> unreadable = block -> false;

  /** Bytes of a partition that a stream sends in a second; 0: none ever; less: all at once. */
  public IntUnaryOperator bytesPerSecond = partition -> -1;

  /** How long fetches wait before they are looked at. */
  public long holdsFetchesNanos;

  /** How many of the next fetches send damaged blocks only. */
  public int damagedFetches;

  /** What readers said was damaged. */
  public final List<DamagedBlock> damaged = new ArrayList<>();

  /** What is done then. */
  public Runnable onDamaged = () -> {};

  /** Said before each refusal, if not null. */
  public @Nullable String explanation;

  public int connects;
  public int fetches;
  public int fetchCredits;

  /** Bytes of blocks in answer to fetches. */
  public long sentBytes;

  /** Most streams at once, over one connection. */
  public int mostStreams;

  public long wanted;
  public long returned;
  public int opens;
  public int openHandles;

  FakeServer(ServerId id) {
    this.id = id;
  }

  public PlacedServer placed() {
    String host = at;
    return placed(host == null ? "server-" + id.low() : host);
  }

  /** The same elsewhere. */
  public PlacedServer placed(String host) {
    return new PlacedServer(id, incarnation, host, 4000);
  }

  public List<StoredBlock> blocks(ShuffleKey shuffle, int partition) {
    return stored
        .computeIfAbsent(shuffle, key -> new TreeMap<>())
        .computeIfAbsent(partition, key -> new ArrayList<>());
  }

  /** Ends every connection. */
  public void dropConnections() {
    List.copyOf(connections).forEach(FakeConnection::drop);
  }

  /** Says that it is about to stop; it does so when the client has left. */
  public void goAway() {
    List.copyOf(connections).forEach(connection -> connection.down(s -> s.goingAway()));
  }

  /** Says that no coordinator hears it. */
  public void sayUnheard() {
    List.copyOf(connections)
        .forEach(
            connection ->
                connection.down(s -> s.explained(ErrorCode.COORDINATOR_UNAVAILABLE, "unheard")));
  }

  /** Asks for idle credit. */
  public void reclaim(long bytes) {
    List.copyOf(connections).forEach(connection -> connection.down(s -> s.reclaimed(bytes)));
  }

  /** A new process on the same disks. */
  public void restart(boolean keepsBlocks) {
    dropConnections();
    incarnation++;
    intactSince = incarnation;
    if (!keepsBlocks) {
      stored.clear();
    }
  }

  /** A new process after an orderly stop: it has everything, and knows it. */
  public void restartIntact() {
    long since = intactSince;
    restart(true);
    intactSince = since;
  }

  /** The same, at another address. */
  public void restartIntactAt(String host) {
    restartIntact();
    at = host;
    up = true;
  }

  ServerIdentity identity() {
    return identity(id);
  }

  /** What it says it is, if it says that it is the server of an id. */
  ServerIdentity identity(ServerId asId) {
    ServerIdentity life = new ServerIdentity(asId, incarnation, intactSince);
    return majorityEnough ? life.withMajorityEnough() : life;
  }

  public void remove(ShuffleKey shuffle) {
    removed.add(shuffle);
  }

  public int connections() {
    return connections.size();
  }
}

package io.sluice.coordinator.membership;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Processes that must not be admitted beside one that is: with its id, as when a disk was copied,
 * or at its address, as when two machines call themselves localhost. Whoever connected to that
 * address would meet either of them.
 *
 * <p>Who was there first stays, as long as it lives: it is connected, and was heard of within the
 * suspect interval. A process that is gone has no connection; one whose machine is gone falls
 * silent.
 *
 * <p>At one address that is not enough. A machine with blank disks has a new id, and may be back
 * before the session of the process before it is known to be dead. So the newcomer is first told to
 * ask again, and refused for good only if the other one has spoken since, and not to say that it
 * stops.
 *
 * <p>Confined to the control thread.
 */
final class Twins {
  /** Newcomers ask at least every second. Who asks again after that begins anew. */
  private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final SilenceLimits limits;
  // When newcomers first asked for an address that someone has.
  private final Map<ServerId, Long> asked = new HashMap<>();

  Twins(SilenceLimits limits) {
    this.limits = limits;
  }

  /**
   * Judges a hello.
   *
   * @param known the member with the same id
   * @param all every member; looked at one by one, some 10 us for a thousand, once a session
   * @return why it is not admitted: INVALID_CONFIGURATION for good, ADDRESS_IN_USE if it is to ask
   *     again; null if it has no twin
   */
  @Nullable SluiceException refusal(
      ServerAddress hello, @Nullable Member known, Collection<Member> all, long nowNanos) {
    if (known != null && !sharesPort(known.address(), hello) && lives(known, nowNanos)) {
      return sameId(known.address(), hello);
    }
    for (Member member : all) {
      if (member != known && lives(member, nowNanos) && overlap(member.address(), hello)) {
        return sameAddress(member, hello, nowNanos);
      }
    }
    asked.remove(hello.id());
    return null;
  }

  /** This process stood still: that servers were excused for their silence says nothing of them. */
  void stalled() {
    asked.clear();
  }

  private boolean lives(Member member, long nowNanos) {
    return member.outbox().isAttached()
        && nowNanos - member.lastHeardNanos() < limits.suspectAfterNanos();
  }

  private static boolean sharesPort(ServerAddress one, ServerAddress other) {
    return one.host().equalsIgnoreCase(other.host()) && one.port() == other.port();
  }

  /** Whether one of both ports of the one is one of the other's. */
  private static boolean overlap(ServerAddress one, ServerAddress other) {
    return one.host().equalsIgnoreCase(other.host())
        && ports(one).anyMatch(port -> ports(other).anyMatch(taken -> taken == port));
  }

  private static IntStream ports(ServerAddress address) {
    return IntStream.of(address.port(), address.grpcPort()).filter(port -> port != 0);
  }

  private SluiceException sameAddress(Member holder, ServerAddress hello, long nowNanos) {
    asked.values().removeIf(since -> nowNanos - since >= ASKED_NANOS);
    long since = asked.computeIfAbsent(hello.id(), id -> nowNanos);
    ServerAddress known = holder.address();
    int port =
        ports(hello).filter(p -> ports(known).anyMatch(taken -> taken == p)).findFirst().orElse(0);
    String inUse = "address " + hello.host() + ":" + port + " is in use by server " + known.id();
    boolean stops = holder.state() == ServerState.RESTARTING;
    if (stops || holder.lastHeardNanos() - since <= 0) {
      return new SluiceException(
          ErrorCode.ADDRESS_IN_USE,
          inUse + ", so server " + hello.id() + " is admitted only when that one is gone");
    }
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        inUse
            + ", which is heard from, so server "
            + hello.id()
            + " is not admitted: each needs an address of its own, see server.host,"
            + " server.advertised-port and server.grpc.advertised-port of both");
  }

  private static SluiceException sameId(ServerAddress known, ServerAddress twin) {
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "server id "
            + twin.id()
            + " is in use by "
            + known.host()
            + ":"
            + known.port()
            + ", so "
            + twin.host()
            + ":"
            + twin.port()
            + " is not admitted: if its disks were copied from there, remove the identity files"
            + " on the copies");
  }
}

package io.sluice.coordinator.membership;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.Term;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All servers of one term, and the judgement over them.
 *
 * <p>A server is judged by silence, not by broken connections: suspect, then lost. A lost life
 * never comes back; its process is fenced and must take a new incarnation. A hello under a higher
 * incarnation declares the previous life lost at once, unless it says that nothing of it is lost
 * and that life had not been given up meanwhile. A server that said that it stops is not suspect,
 * and is waited for as long as a restart may take. See {@link ServerState}.
 *
 * <p>There is one timer per server, which fires when the server would become suspect or lost if
 * nothing were heard; a report only notes the time, so heartbeats cost no timer operations. If the
 * timer itself fires late, this process has stalled (a collection, SIGSTOP) and the reports of that
 * time lie unread in sockets: the silence is measured anew from there.
 */
public final class Membership {
  /** How long a lost server is remembered, so that its old life stays fenced. */
  static final long FORGET_AFTER_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Lateness of a timer that counts as a stall of our own. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Scheduler scheduler;
  private final SilenceLimits limits;
  private final MembershipListener listener;
  private final Twins twins;
  private final Map<ServerId, Member> members = new LinkedHashMap<>();
  // Of members, kept up to date: a thousand servers that come at once are not counted each time.
  private final Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
  // Of servers that are away for long, too.
  private final Set<ServerId> decommissioned;
  private final Set<ServerId> excluded = new HashSet<>();

  /**
   * @param term whose servers of earlier terms each get the whole silence allowed from now on
   */
  public Membership(
      Scheduler scheduler, SilenceLimits limits, Term term, MembershipListener listener) {
    this.scheduler = scheduler;
    this.limits = limits;
    this.listener = listener;
    this.twins = new Twins(limits);
    this.decommissioned = new HashSet<>(term.decommissioned());
    for (ServerState state : ServerState.values()) {
      counts.put(state, 0);
    }
    for (ServerRecord record : term.servers()) {
      ServerId id = record.address().id();
      Member member = new Member(record, decommissioned.contains(id), now());
      add(member);
      judge(member);
    }
  }

  /**
   * Admits a server, or fences it.
   *
   * @param welcome sent first if it is admitted
   * @param feed what it is told after that for as long as the channel lasts
   * @return whether it was admitted; if not, the channel has been told and ended
   */
  public boolean hello(
      ServerHello hello, ServerChannel channel, Directive.Welcome welcome, DirectiveFeed feed) {
    ServerAddress address = hello.address();
    Member member = members.get(address.id());
    SluiceException twin = twins.refusal(address, member, members.values(), now());
    if (twin != null) {
      channel.end(twin);
      return false;
    }
    if (member != null && member.isStale(address)) {
      fence(member, address, channel);
      return false;
    }
    if (member == null) {
      boolean drains = decommissioned.contains(address.id());
      member = new Member(new ServerRecord(address, 0, false), drains, now());
      member.exclude(excluded.contains(address.id()));
      add(member);
    } else if (!address.keeps(member.address().incarnation()) && become(member, ServerState.LOST)) {
      listener.changed(member.view());
    }
    ServerState before = member.state();
    member.greet(hello);
    count(before, member.state());
    replaceChannel(member, channel, feed);
    channel.send(welcome);
    if (member.decommissioned()) {
      channel.send(new Directive.Drain(true));
    }
    return true;
  }

  private static void fence(Member member, ServerAddress stale, ServerChannel channel) {
    // The life that says hello is given up as well, if it keeps what was given up before.
    long above = Math.max(stale.incarnation(), member.address().incarnation());
    channel.send(new Directive.Fence(above));
    channel.end(
        new SluiceException(
            ErrorCode.STALE_INCARNATION,
            stale + " counts as lost: take an incarnation above " + above));
  }

  private static void replaceChannel(Member member, ServerChannel channel, DirectiveFeed feed) {
    ServerChannel previous = member.outbox().attach(channel, feed);
    if (previous != null) {
      previous.end(new SluiceException(ErrorCode.CANCELLED, "replaced by a newer session"));
    }
  }

  /**
   * Takes a report of an admitted server, the one with the hello included.
   *
   * @return false if the channel no longer speaks for the server: it has been replaced, or declared
   *     lost and fenced
   */
  public boolean report(ServerId id, ServerChannel channel, ServerReport report, boolean first) {
    Member member = members.get(id);
    if (member == null || !member.outbox().isAttached(channel)) {
      return false;
    }
    boolean differs = member.hear(report, now());
    boolean changed = become(member, member.awakeState());
    if (report.intent() == Intent.STOP_WITH_LOSS) {
      lose(member, false);
      judgeIn(member, FORGET_AFTER_NANOS);
      return false;
    }
    if (first && report.intent() == Intent.DRAIN && !member.decommissioned()) {
      // It was told by an earlier leader, and away when that was taken back.
      member.outbox().send(new Directive.Drain(false));
    }
    if (changed || differs || first) {
      listener.changed(member.view());
      judge(member);
    }
    member.outbox().drain();
    return true;
  }

  /**
   * Wants a server empty, or takes that back. An unknown one will be told when it comes.
   *
   * @param begins whether it is to take nothing any more
   */
  public void decommission(ServerId id, boolean begins) {
    if (!(begins ? decommissioned.add(id) : decommissioned.remove(id))) {
      return;
    }
    Member member = members.get(id);
    if (member == null) {
      return;
    }
    member.decommission(begins);
    direct(id, new Directive.Drain(begins));
    boolean silent = member.state() == ServerState.SUSPECT;
    boolean over = member.state() == ServerState.RESTARTING || member.state() == ServerState.LOST;
    if (!silent && !over && become(member, member.awakeState())) {
      listener.changed(member.view());
    }
  }

  /**
   * Wants a server to get no new shuffles, or takes that back. An unknown one gets none when it
   * comes.
   */
  public void exclude(ServerId id, boolean begins) {
    if (!(begins ? excluded.add(id) : excluded.remove(id))) {
      return;
    }
    Member member = members.get(id);
    if (member != null) {
      member.exclude(begins);
      listener.changed(member.view());
    }
  }

  /** The servers that are to get no new shuffles, those that are not known included. */
  public Set<ServerId> excluded() {
    return Set.copyOf(excluded);
  }

  /** The servers that are wanted empty, those that are not known included. */
  public Set<ServerId> decommissioned() {
    return Set.copyOf(decommissioned);
  }

  /** The channel takes directives again. */
  public void ready(ServerId id, ServerChannel channel) {
    Member member = members.get(id);
    if (member != null && member.outbox().isAttached(channel)) {
      member.outbox().drain();
    }
  }

  /** The channel is gone; the server is judged by its silence from here on. */
  public void disconnected(ServerId id, ServerChannel channel) {
    Member member = members.get(id);
    if (member != null && member.outbox().isAttached(channel)) {
      member.outbox().detach();
    }
  }

  /**
   * Sends now, or when the server is back. Unknown servers are not told, lost ones only of shuffles
   * that are to go: they may come back with their disks.
   */
  public void direct(ServerId id, Directive directive) {
    Member member = members.get(id);
    if (member != null && (member.state() != ServerState.LOST || directive.lasts())) {
      member.outbox().send(directive);
    }
  }

  /** The same for every server. */
  public void directAll(Directive directive) {
    members.keySet().forEach(id -> direct(id, directive));
  }

  /** The feeds have more: sends it where it is taken. */
  public void feedAll() {
    members.values().forEach(member -> member.outbox().drain());
  }

  public List<ServerView> views() {
    return members.values().stream().map(Member::view).toList();
  }

  public @Nullable ServerView view(ServerId id) {
    Member member = members.get(id);
    return member == null ? null : member.view();
  }

  /** How many servers are in each state; every state is there. */
  public Map<ServerState, Integer> countByState() {
    return new EnumMap<>(counts);
  }

  private void add(Member member) {
    members.put(member.address().id(), member);
    counts.merge(member.state(), 1, Integer::sum);
  }

  private boolean become(Member member, ServerState next) {
    ServerState before = member.state();
    boolean changes = member.become(next);
    count(before, next);
    return changes;
  }

  private void count(ServerState before, ServerState now) {
    counts.merge(before, -1, Integer::sum);
    counts.merge(now, 1, Integer::sum);
  }

  /** Directives dropped because servers were away for too long, since this term began. */
  public long droppedDirectives() {
    return members.values().stream().mapToLong(member -> member.outbox().dropped()).sum();
  }

  /** Ends the term: timers stop, sessions end for this reason. */
  public void close(SluiceException reason) {
    Collection<Member> all = List.copyOf(members.values());
    members.clear();
    counts.replaceAll((state, count) -> 0);
    for (Member member : all) {
      member.stopTimer();
      ServerChannel channel = member.outbox().detach();
      if (channel != null) {
        channel.end(reason);
      }
    }
  }

  private long now() {
    return scheduler.clock().nanoTime();
  }

  /** Draws the conclusion from a member's silence and looks again when the next one is due. */
  private void judge(Member member) {
    long silence = now() - member.lastHeardNanos();
    if (member.state() == ServerState.LOST) {
      if (silence >= FORGET_AFTER_NANOS) {
        forget(member);
      } else {
        judgeIn(member, FORGET_AFTER_NANOS - silence);
      }
    } else if (silence >= lostAfterNanos(member)) {
      lose(member, true);
      judgeIn(member, FORGET_AFTER_NANOS);
    } else if (member.state() == ServerState.RESTARTING) {
      judgeIn(member, limits.restartGraceNanos() - silence);
    } else if (silence >= limits.suspectAfterNanos()) {
      if (become(member, ServerState.SUSPECT)) {
        listener.changed(member.view());
      }
      judgeIn(member, limits.lostAfterNanos() - silence);
    } else {
      judgeIn(member, limits.suspectAfterNanos() - silence);
    }
  }

  private long lostAfterNanos(Member member) {
    return member.state() == ServerState.RESTARTING
        ? limits.restartGraceNanos()
        : limits.lostAfterNanos();
  }

  private void judgeIn(Member member, long delayNanos) {
    long due = now() + delayNanos;
    member.restartTimer(
        scheduler.schedule(
            delayNanos,
            () -> {
              if (now() - due > STALL_NANOS) {
                member.excuse(now());
                twins.stalled();
              }
              judge(member);
            }));
  }

  /**
   * @param silent whether it may live and must be told; else it has said so itself, and ends
   */
  private void lose(Member member, boolean silent) {
    become(member, ServerState.LOST);
    member.outbox().keepRemovals();
    ServerChannel channel = member.outbox().detach();
    if (channel != null && silent) {
      channel.send(new Directive.Fence(member.address().incarnation()));
      channel.end(
          new SluiceException(
              ErrorCode.STALE_INCARNATION, member.address() + " was silent for too long"));
    } else if (channel != null) {
      channel.end(
          new SluiceException(ErrorCode.CANCELLED, member.address() + " stops, and has lost data"));
    }
    listener.changed(member.view());
  }

  private void forget(Member member) {
    member.stopTimer();
    members.remove(member.address().id());
    counts.merge(member.state(), -1, Integer::sum);
    listener.forgotten(member.view());
  }
}

package io.sluice.coordinator.membership;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.ServerRecord;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All servers of one term, and the judgement over them.
 *
 * <p>A server is judged by silence, not by broken connections: suspect, then lost. A lost life
 * never comes back; its process is fenced and must take a new incarnation. A hello under a higher
 * incarnation declares the previous life lost at once.
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
  private final Map<ServerId, Member> members = new LinkedHashMap<>();

  /**
   * @param known servers of earlier terms; each gets the whole silence allowed from now on
   */
  public Membership(
      Scheduler scheduler,
      SilenceLimits limits,
      List<ServerRecord> known,
      MembershipListener listener) {
    this.scheduler = scheduler;
    this.limits = limits;
    this.listener = listener;
    for (ServerRecord record : known) {
      Member member = new Member(record, now());
      members.put(record.address().id(), member);
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
    Member member = members.get(hello.address().id());
    long incarnation = hello.address().incarnation();
    if (member != null && isStale(member, incarnation)) {
      channel.send(new Directive.Fence(member.address().incarnation()));
      channel.end(
          new SluiceException(
              ErrorCode.STALE_INCARNATION,
              hello.address() + " counts as lost: take an incarnation above " + member.address()));
      return false;
    }
    if (member == null) {
      member = new Member(new ServerRecord(hello.address(), 0), now());
      members.put(hello.address().id(), member);
    } else if (member.address().incarnation() < incarnation && member.become(ServerState.LOST)) {
      listener.changed(member.view());
    }
    member.greet(hello);
    replaceChannel(member, channel, feed);
    channel.send(welcome);
    return true;
  }

  private static boolean isStale(Member member, long incarnation) {
    return incarnation < member.address().incarnation()
        || (incarnation == member.address().incarnation() && member.state() == ServerState.LOST);
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
  public boolean report(
      ServerId id, ServerChannel channel, ServerLoad load, boolean draining, boolean first) {
    Member member = members.get(id);
    if (member == null || !member.outbox().isAttached(channel)) {
      return false;
    }
    member.hear(load, draining, now());
    boolean changed = member.become(member.awakeState());
    if (changed || first) {
      listener.changed(member.view());
      judge(member);
    }
    member.outbox().drain();
    return true;
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

  /** Sends now, or when the server is back. Lost and unknown servers are not told. */
  public void direct(ServerId id, Directive directive) {
    Member member = members.get(id);
    if (member != null && member.state() != ServerState.LOST) {
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
    Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
    for (ServerState state : ServerState.values()) {
      counts.put(state, 0);
    }
    members.values().forEach(member -> counts.merge(member.state(), 1, Integer::sum));
    return counts;
  }

  /** Directives dropped because servers were away for too long, since this term began. */
  public long droppedDirectives() {
    return members.values().stream().mapToLong(member -> member.outbox().dropped()).sum();
  }

  /** Ends the term: timers stop, sessions end for this reason. */
  public void close(SluiceException reason) {
    Collection<Member> all = List.copyOf(members.values());
    members.clear();
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
    } else if (silence >= limits.lostAfterNanos()) {
      lose(member);
      judgeIn(member, FORGET_AFTER_NANOS);
    } else if (silence >= limits.suspectAfterNanos()) {
      if (member.become(ServerState.SUSPECT)) {
        listener.changed(member.view());
      }
      judgeIn(member, limits.lostAfterNanos() - silence);
    } else {
      judgeIn(member, limits.suspectAfterNanos() - silence);
    }
  }

  private void judgeIn(Member member, long delayNanos) {
    long due = now() + delayNanos;
    member.restartTimer(
        scheduler.schedule(
            delayNanos,
            () -> {
              if (now() - due > STALL_NANOS) {
                member.excuse(now());
              }
              judge(member);
            }));
  }

  private void lose(Member member) {
    member.become(ServerState.LOST);
    member.outbox().clear();
    ServerChannel channel = member.outbox().detach();
    if (channel != null) {
      channel.send(new Directive.Fence(member.address().incarnation()));
      channel.end(
          new SluiceException(
              ErrorCode.STALE_INCARNATION, member.address() + " was silent for too long"));
    }
    listener.changed(member.view());
  }

  private void forget(Member member) {
    member.stopTimer();
    members.remove(member.address().id());
    listener.forgotten(member.view());
  }
}

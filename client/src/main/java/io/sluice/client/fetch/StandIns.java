package io.sluice.client.fetch;

import java.util.List;

/**
 * Who is asked for what a server does not bring: other members of its sets. Those that are asked
 * besides wait for their turns as all do. On the task's thread.
 */
final class StandIns {
  private final FetchPlan plan;
  private final Requests requests;
  private final Turns turns;
  private final StillWanted wanted;

  StandIns(FetchPlan plan, Requests requests, Turns turns, StillWanted wanted) {
    this.plan = plan;
    this.requests = requests;
    this.turns = turns;
    this.wanted = wanted;
  }

  /**
   * Others are asked for what a server does not bring, which may bring it yet; and, if it sends
   * nothing else either, for what waits for its turn there.
   */
  void suspect(ServerFetch fetch) {
    if (!askToo(fetch)) {
      return;
    }
    int server = fetch.index();
    if (turns.underWay().stream().noneMatch(f -> f.index() == server && f.isHopeful())) {
      for (ServerFetch waiting : turns.takeHopeful(server)) {
        waiting.suspect();
        turns.add(waiting);
        ask(waiting);
      }
    }
  }

  /** Others are asked for what is missing of a request, once; false if there are none. */
  boolean askToo(ServerFetch fetch) {
    if (!plan.hasReplicas() || fetch.isSuspected()) {
      return false;
    }
    fetch.suspect();
    ask(fetch);
    return true;
  }

  /**
   * Asks other members of sets for what is missing: of those of a server in trouble at once, of all
   * when nobody is left who may bring it. A server that has ended in order has brought all it has,
   * and the rest may be with another set.
   */
  void ask(ServerFetch fetch) {
    if (!plan.hasReplicas()) {
      return;
    }
    if (fetch.isSuspected() || fetch.failure() != null) {
      add(plan.more(wanted.of(fetch), fetch.index(), requests::isHopeful));
    }
    add(plan.more(wanted.of(fetch).filter(at -> !requests.isHopeful(at)), -1, requests::isHopeful));
  }

  private void add(List<ServerFetch> more) {
    requests.add(more);
    more.forEach(turns::add);
  }
}

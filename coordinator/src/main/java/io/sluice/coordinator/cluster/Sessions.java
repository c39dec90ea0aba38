package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Use;
import java.util.List;

/** Where servers introduce themselves. */
final class Sessions {
  private final ClusterRules rules;
  private final long term;
  private final Membership membership;
  private final Applications applications;
  private final UseBook uses;

  Sessions(
      ClusterRules rules,
      long term,
      Membership membership,
      Applications applications,
      UseBook uses) {
    this.rules = rules;
    this.term = term;
    this.membership = membership;
    this.applications = applications;
    this.uses = uses;
  }

  ServerSession open(ServerHello hello, ServerReport report, ServerChannel channel) {
    ServerId id = hello.address().id();
    Directive.Welcome welcome = new Directive.Welcome(term, rules.reportIntervalMillis());
    DirectiveFeed verifiers =
        hello.wantsVerifiers() ? new VerifierFeed(applications.verifiers()) : DirectiveFeed.NONE;
    DirectiveFeed users =
        hello.wantsUsers() ? new UserFeed(applications.users()) : DirectiveFeed.NONE;
    DirectiveFeed feed = verifiers.then(users).then(new ReturnFeed(applications.returned()));
    if (membership.hello(hello, channel, welcome, feed)) {
      hello.applications().forEach(applications::adopt);
      uses.begin(id);
      take(id, report.uses());
      membership.report(id, channel, report, true);
    }
    return new ServerSession(membership, id, channel, held -> take(id, held));
  }

  /**
   * A server may come to hold blocks of an application that is over, or that nobody here knows: it
   * was away when the others were told, and took what a writer still had on its way. Whoever is
   * over is removed there once more; others have the time of a lease to register.
   */
  private void take(ServerId id, List<Use> held) {
    for (Use use : held) {
      ApplicationId application = use.application();
      if (use.partitions() > 0 && !applications.knows(application)) {
        if (applications.hasEnded(application)) {
          membership.direct(id, new Directive.RemoveApplication(application));
        } else {
          applications.adopt(application);
        }
      }
    }
    uses.take(id, held);
  }
}

package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport;

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
      uses.take(id, report.uses());
      membership.report(id, channel, report, true);
    }
    return new ServerSession(membership, uses, id, channel);
  }
}

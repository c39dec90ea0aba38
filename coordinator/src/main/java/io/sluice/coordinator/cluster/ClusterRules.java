package io.sluice.coordinator.cluster;

import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.SilenceLimits;
import java.util.concurrent.TimeUnit;

/**
 * The numbers a cluster is run by.
 *
 * @param reportIntervalMillis how often servers report
 * @param placement how shuffles are placed of applications that do not say
 * @param forgetAfterMillis how long what operators decided about a server is kept once nobody knows
 *     the server any more
 */
public record ClusterRules(
    SilenceLimits servers,
    LeaseTerms applications,
    long reportIntervalMillis,
    PlacementStyle placement,
    long forgetAfterMillis) {
  /** With balanced placement, and decisions that are kept for 30 days. */
  public ClusterRules(SilenceLimits servers, LeaseTerms applications, long reportIntervalMillis) {
    this(
        servers,
        applications,
        reportIntervalMillis,
        PlacementStyle.BALANCED,
        TimeUnit.DAYS.toMillis(30));
  }
}

package io.sluice.coordinator.cluster;

import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.SilenceLimits;

/**
 * The numbers a cluster is run by.
 *
 * @param reportIntervalMillis how often servers report
 * @param placement how shuffles are placed of applications that do not say
 */
public record ClusterRules(
    SilenceLimits servers,
    LeaseTerms applications,
    long reportIntervalMillis,
    PlacementStyle placement) {
  /** With balanced placement. */
  public ClusterRules(SilenceLimits servers, LeaseTerms applications, long reportIntervalMillis) {
    this(servers, applications, reportIntervalMillis, PlacementStyle.BALANCED);
  }
}

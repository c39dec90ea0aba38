package io.sluice.coordinator.cluster;

import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.SilenceLimits;

/**
 * The numbers a cluster is run by.
 *
 * @param reportIntervalMillis how often servers report
 */
public record ClusterRules(
    SilenceLimits servers, LeaseTerms applications, long reportIntervalMillis) {}

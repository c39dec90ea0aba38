/**
 * Looking at a running cluster, and what it is told by hand, over the coordinator's gRPC service.
 * One thread.
 */
@NullMarked
package io.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * A shuffle under one seed: what the cluster looks like, what goes wrong when, the job that is run
 * on it, and the checks during and after.
 *
 * <p>The job is an engine in miniature: map attempts that are killed, retried and run twice, a
 * winner per map, readers of random ranges, a new generation of the shuffle when blocks are lost.
 */
@NullMarked
package io.sluice.simulation.scenario;

import org.jspecify.annotations.NullMarked;

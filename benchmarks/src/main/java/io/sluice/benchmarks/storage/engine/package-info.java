/**
 * The storage engine under measurement: the server's real core and store, driven by synthetic
 * clients, on a site that is either this machine or a model.
 *
 * <p>Threading: an engine runs one phase at a time and is called by one thread; what runs where
 * within a phase is the site's business. Ownership: a phase opens the store and closes it again, so
 * that nothing in memory is left to read from, and what the catalog writes at its close counts.
 */
@NullMarked
package io.sluice.benchmarks.storage.engine;

import org.jspecify.annotations.NullMarked;

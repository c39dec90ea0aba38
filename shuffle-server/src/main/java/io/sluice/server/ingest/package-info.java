/**
 * Pushed blocks on their way from a connection into partitions: handles, credit, chunks, answers.
 *
 * <p>Threading: everything here belongs to one connection and runs on its event loop; partitions
 * are entered through their locks.
 */
@NullMarked
package io.sluice.server.ingest;

import org.jspecify.annotations.NullMarked;

/**
 * Synthetic clients: writers that push blocks and readers that fetch and check them, through the
 * same sessions that a socket's connection drives.
 *
 * <p>Threading: what an event loop would do (parsing frames, checking CRCs, the server's session)
 * runs on the executor that stands for it, and is the server's work; what a client's process would
 * do (making blocks, checking what comes back) runs on another, so that its CPU time can be told
 * apart. With real executors these are threads, with the modelled disk they are one.
 *
 * <p>Ownership: a {@code Frame} belongs to the client until it is offered and comes back when its
 * last block has been taken. Pieces of a fetch are closed by the client when it has read them.
 */
@NullMarked
package io.sluice.benchmarks.storage.load;

import org.jspecify.annotations.NullMarked;

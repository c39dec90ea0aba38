/**
 * Synthetic clients: writers that push blocks and readers that fetch and check them, through the
 * same sessions that a socket's connection drives.
 *
 * <p>Threading: what an event loop would do (parsing frames, checking CRCs, the server's session)
 * runs on the executor that stands for it, and is the server's work. What a client's process would
 * do is told apart: making blocks, on the same executor, as {@code ClientWork}, and checking what
 * comes back on another one. With real executors these are threads, with the modelled disk they are
 * one.
 *
 * <p>Ownership: a connection that writes has one {@code Frame}, as a server has one receive buffer
 * for it, and fills it again when its last block has been taken. Pieces of a fetch are closed by
 * the client when it has read them.
 */
@NullMarked
package io.sluice.benchmarks.storage.load;

import org.jspecify.annotations.NullMarked;

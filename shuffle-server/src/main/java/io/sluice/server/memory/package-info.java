/**
 * The arena: direct memory that blocks lie in, and the accounting that keeps every promise of it
 * backed.
 *
 * <p>Ownership: bytes are free, or held by a {@link io.sluice.server.memory.MemoryReservation}, or
 * turned into a {@link io.sluice.server.memory.Chunk}; nothing else. A reservation belongs to one
 * thread at a time and is closed once. A chunk is born with one lease and returns to the arena with
 * the last one. What readers have on lease counts towards a {@link
 * io.sluice.server.memory.LeaseBudget} as well, and a piece of it towards the {@link
 * io.sluice.server.memory.QueuedChunks} of its connection.
 *
 * <p>Threading: {@code MemoryBudget}, {@code ChunkArena} and the leases of a chunk are thread-safe.
 * What a chunk's bytes are is agreed by its users (a partition's lock).
 */
@NullMarked
package io.sluice.server.memory;

import org.jspecify.annotations.NullMarked;

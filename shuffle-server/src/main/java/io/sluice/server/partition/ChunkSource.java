package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;

/**
 * Where a run gets its next chunk: the ingest that appends decides whose reservation pays for it.
 */
public interface ChunkSource {
  /**
   * A chunk with one lease, now the caller's. Never fails: the credit that a block was charged
   * backs it.
   *
   * @param held capacity the run has in shared chunks already, in bytes
   * @param needed bytes of the block that do not fit into those
   */
  Chunk next(int held, int needed);
}

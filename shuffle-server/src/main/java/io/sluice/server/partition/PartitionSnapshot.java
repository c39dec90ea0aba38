package io.sluice.server.partition;

import java.util.List;

/**
 * The blocks of a partition at one moment, each once: those in memory and those on disks.
 * Immutable, but for the cursors.
 */
public record PartitionSnapshot(List<RunCursor> runs, List<StoredExtent> extents) {}

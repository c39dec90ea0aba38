package io.sluice.server.partition;

import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;

/** An extent and the disk it lies on. Immutable. */
public record StoredExtent(SegmentStore store, Extent extent) {}

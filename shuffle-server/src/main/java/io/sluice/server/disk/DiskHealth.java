package io.sluice.server.disk;

import org.jspecify.annotations.Nullable;

/**
 * Whether a disk may be used. A fenced disk takes no writes; it still reads, unless its accesses do
 * not come back.
 *
 * @param problem why it is fenced, for people; null if healthy
 * @param sinceMillis wall time of the last change
 * @param readable whether reads are worth trying
 */
public record DiskHealth(@Nullable String problem, long sinceMillis, boolean readable) {
  public DiskHealth(@Nullable String problem, long sinceMillis) {
    this(problem, sinceMillis, true);
  }

  public boolean healthy() {
    return problem == null;
  }
}

package io.sluice.server.disk;

import org.jspecify.annotations.Nullable;

/**
 * Whether a disk's last write went well. An unhealthy disk still reads, and its next successful
 * write makes it healthy again.
 *
 * @param problem what went wrong, for people; null if healthy
 * @param sinceMillis wall time of the last change
 */
public record DiskHealth(@Nullable String problem, long sinceMillis) {
  public boolean healthy() {
    return problem == null;
  }
}

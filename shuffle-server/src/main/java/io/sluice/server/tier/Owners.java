package io.sluice.server.tier;

import io.sluice.common.id.ApplicationId;
import org.jspecify.annotations.Nullable;

/** To whom on a remote file system the segments of an application belong. Thread-safe, at once. */
public interface Owners {
  /** Everything is the server's. */
  Owners NOBODY = application -> null;

  /** The user, or null if that is not known: then the segment is the server's. */
  @Nullable String of(ApplicationId application);
}

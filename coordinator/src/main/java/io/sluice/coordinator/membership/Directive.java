package io.sluice.coordinator.membership;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Verifier;
import java.util.List;
import java.util.Map;

/** What the leader tells a server. */
public sealed interface Directive {
  /**
   * Whether it is true for every later life as well, which may have on its disks what is to go. A
   * shuffle that was removed never comes back under its key; an application may.
   */
  default boolean lasts() {
    return this instanceof RemoveShuffle;
  }

  /** Admitted: report at this interval, in milliseconds. */
  record Welcome(long term, long heartbeatIntervalMillis) implements Directive {}

  /** Hide the shuffle now, free it at its last lease. */
  record RemoveShuffle(ShuffleKey shuffle) implements Directive {}

  /** The same for everything of an application. */
  record RemoveApplication(ApplicationId application) implements Directive {}

  /** These were removed and are back: take their blocks again. */
  record Returned(List<ApplicationId> applications) implements Directive {}

  /** Not admitted: this and earlier incarnations count as lost; come back with a higher one. */
  record Fence(long incarnation) implements Directive {}

  /** Take no more blocks and serve readers, or take blocks again. */
  record Drain(boolean begins) implements Directive {}

  /**
   * Whose applications are.
   *
   * @param first the whole list begins with this part
   * @param last the whole list ends with this part
   */
  record Users(boolean first, boolean last, Map<String, List<ApplicationId>> applications)
      implements Directive {}

  /** What applications prove themselves by; parts as of {@link Users}. */
  record Verifiers(boolean first, boolean last, Map<ApplicationId, Verifier> applications)
      implements Directive {}
}

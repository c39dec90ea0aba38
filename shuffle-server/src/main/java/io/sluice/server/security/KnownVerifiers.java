package io.sluice.server.security;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import java.util.Map;

/**
 * What applications prove themselves by, or a part of that.
 *
 * @param first the whole list begins with this part
 * @param last the whole list ends with this part: who was not named since it began has ended
 */
public record KnownVerifiers(
    boolean first, boolean last, Map<ApplicationId, Verifier> applications) {
  public KnownVerifiers {
    applications = Map.copyOf(applications);
  }
}

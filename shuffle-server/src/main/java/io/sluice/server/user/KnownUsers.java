package io.sluice.server.user;

import io.sluice.common.id.ApplicationId;
import java.util.Map;

/**
 * Whose applications are, or a part of that.
 *
 * @param first the whole list begins with this part
 * @param last the whole list ends with this part: who was not named since it began is not known
 */
public record KnownUsers(boolean first, boolean last, Map<ApplicationId, String> users) {
  public KnownUsers {
    users = Map.copyOf(users);
  }
}

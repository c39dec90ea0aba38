package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells one server whose applications are. A part takes 22 KB with a few users; 300 KB if each
 * application has one of its own with 256 letters.
 */
final class UserFeed extends ListFeed<String> {
  UserFeed(Declarations<String> users) {
    super(users);
  }

  @Override
  Directive directive(boolean first, boolean last, List<Declared<String>> part) {
    Map<String, List<ApplicationId>> byUser = new LinkedHashMap<>();
    for (Declared<String> one : part) {
      byUser.computeIfAbsent(one.value(), user -> new ArrayList<>()).add(one.application());
    }
    return new Directive.Users(first, last, byUser);
  }
}

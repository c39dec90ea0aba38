package io.sluice.server.control;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Verifier;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ApplicationVerifier;
import io.sluice.proto.control.v1.ApplicationVerifiers;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.server.security.KnownVerifiers;
import io.sluice.server.user.KnownUsers;
import java.util.HashMap;
import java.util.Map;

/** What coordinators' directives name, in this server's terms. */
final class Directives {
  private Directives() {}

  static ShuffleKey shuffle(ShuffleRef ref) {
    return new ShuffleKey(
        application(ref.getApplication()), ref.getShuffleId(), ref.getGeneration());
  }

  static KnownUsers users(ApplicationUsers part) {
    Map<ApplicationId, String> users = new HashMap<>();
    for (UserApplications entry : part.getUsersList()) {
      if (!entry.getUser().isEmpty()) {
        entry.getApplicationsList().forEach(id -> users.put(application(id), entry.getUser()));
      }
    }
    return new KnownUsers(part.getFirst(), part.getLast(), users);
  }

  static KnownVerifiers verifiers(ApplicationVerifiers part) {
    Map<ApplicationId, Verifier> verifiers = new HashMap<>();
    for (ApplicationVerifier entry : part.getVerifiersList()) {
      if (entry.getVerifier().size() == Verifier.BYTES) {
        verifiers.put(
            application(entry.getApplication()),
            Verifier.decode(entry.getVerifier().toByteArray()));
      }
    }
    return new KnownVerifiers(part.getFirst(), part.getLast(), verifiers);
  }

  static ApplicationId application(Uuid id) {
    return ApplicationId.of(id.getHigh(), id.getLow());
  }
}

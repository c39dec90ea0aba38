package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tells one server what applications prove themselves by; 116 bytes each. */
final class VerifierFeed extends ListFeed<Verifier> {
  VerifierFeed(Declarations<Verifier> verifiers) {
    super(verifiers);
  }

  @Override
  Directive directive(boolean first, boolean last, List<Declared<Verifier>> part) {
    Map<ApplicationId, Verifier> verifiers = new LinkedHashMap<>();
    for (Declared<Verifier> one : part) {
      verifiers.put(one.application(), one.value());
    }
    return new Directive.Verifiers(first, last, verifiers);
  }
}

package io.sluice.coordinator.application;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.registry.ApplicationRecord;
import org.jspecify.annotations.Nullable;

/**
 * What applications claim as they register: whose they are, what they prove themselves by, that
 * they have come back. It counts at once, and is taken back if it cannot be persisted.
 */
final class Claims {
  private final Declarations<String> users = new Declarations<>();
  private final Declarations<Verifier> verifiers = new Declarations<>();
  private final Declarations<Boolean> returned = new Declarations<>();

  /** Notes what is persisted of an earlier term. */
  void known(ApplicationRecord record) {
    declare(record);
  }

  /**
   * @throws SluiceException AUTHENTICATION_FAILED if the application came with another verifier
   *     before
   */
  void requireSameSecret(ApplicationRecord record) {
    Verifier before = verifiers.of(record.id());
    if (before != null && !before.equals(record.verifier())) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED,
          "application " + record.id() + " is registered with another secret");
    }
  }

  /**
   * Notes a registration, which may renew an earlier one.
   *
   * @return what is to be persisted, or null if that is persisted already
   */
  @Nullable ApplicationRecord register(
      Application application, ApplicationRecord record, long nowNanos) {
    ApplicationRecord earlier = application.registration();
    ApplicationRecord registration = earlier == null ? record : record.renewing(earlier);
    boolean persisted =
        earlier != null
            && (earlier.verifier() != null || registration.verifier() == null)
            && earlier.user().equals(registration.user())
            && earlier.returned() == registration.returned()
            && earlier.wishes().equals(registration.wishes());
    application.register(registration, nowNanos);
    declare(registration);
    return persisted ? null : registration;
  }

  /**
   * Takes back a renewal that could not be persisted: the application is again what it was, and was
   * heard when it was.
   *
   * @param before what is persisted
   */
  void restore(Application application, ApplicationRecord before) {
    application.register(before, application.lastHeardNanos());
    if (before.user().isEmpty()) {
      users.forget(before.id());
    }
    if (before.verifier() == null) {
      verifiers.forget(before.id());
    }
    if (!before.returned()) {
      returned.forget(before.id());
    }
    declare(before);
  }

  private void declare(ApplicationRecord record) {
    if (!record.user().isEmpty()) {
      users.declare(record.id(), record.user());
    }
    Verifier verifier = record.verifier();
    if (verifier != null) {
      verifiers.declare(record.id(), verifier);
    }
    if (record.returned()) {
      returned.declare(record.id(), true);
    }
  }

  /** The application is gone. */
  void forget(ApplicationId id) {
    users.forget(id);
    verifiers.forget(id);
    returned.forget(id);
  }

  Declarations<String> users() {
    return users;
  }

  Declarations<Verifier> verifiers() {
    return verifiers;
  }

  Declarations<Boolean> returned() {
    return returned;
  }
}

package io.sluice.transport.auth;

import io.sluice.transport.Principal;

/** Told how handshakes end, for metrics. Thread-safe; never blocks. */
public interface Authentications {
  /** Counts nothing. */
  Authentications IGNORED =
      new Authentications() {
        @Override
        public void proved(Principal.Kind kind) {}

        @Override
        public void refused(Refusal why) {}
      };

  /** Why somebody was not believed. */
  enum Refusal {
    /** It spoke another scheme, none perhaps, or something that is no claim. */
    NO_PROOF,
    /** No coordinator has said, in time, that there is such an application. */
    UNKNOWN_APPLICATION,
    WRONG_PROOF
  }

  void proved(Principal.Kind kind);

  void refused(Refusal why);
}

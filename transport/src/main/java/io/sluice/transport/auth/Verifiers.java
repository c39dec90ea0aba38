package io.sluice.transport.auth;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import java.util.concurrent.CompletableFuture;

/** Where a server finds out what applications prove themselves by. Thread-safe; never blocks. */
public interface Verifiers {
  /**
   * The verifier of an application: at once if it is known, else when it becomes so, on any thread.
   * Whoever waits no longer cancels the future, or its places would fill up.
   *
   * @return fails with UNKNOWN_APPLICATION if nobody is to wait
   */
  CompletableFuture<Verifier> find(ApplicationId application);
}

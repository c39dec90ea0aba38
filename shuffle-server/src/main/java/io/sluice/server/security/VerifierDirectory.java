package io.sluice.server.security;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import io.sluice.transport.auth.Verifiers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What every application of the cluster proves itself by, since each may come here next. Whoever
 * comes before the coordinator's word waits for it; how many may is bounded, and so is what is
 * known.
 */
public final class VerifierDirectory implements Verifiers {
  /** Twice what a coordinator admits, since ends may be missed until the next whole list. */
  private static final int MAX_KNOWN = 40_000;

  private final int maxWaiting;
  // All guarded by this.
  private final Map<ApplicationId, Known> known = new HashMap<>();
  private final Map<ApplicationId, List<CompletableFuture<Verifier>>> waiting = new HashMap<>();
  private int waiters;
  private int list;

  private record Known(Verifier verifier, int list) {}

  /**
   * @param maxWaiting connections that may wait at once
   */
  public VerifierDirectory(int maxWaiting) {
    this.maxWaiting = maxWaiting;
  }

  @Override
  public CompletableFuture<Verifier> find(ApplicationId application) {
    CompletableFuture<Verifier> answer = new CompletableFuture<>();
    synchronized (this) {
      Known there = known.get(application);
      if (there != null) {
        answer.complete(there.verifier);
        return answer;
      }
      if (waiters >= maxWaiting) {
        return CompletableFuture.failedFuture(
            new SluiceException(
                ErrorCode.UNKNOWN_APPLICATION, waiters + " others wait to become known already"));
      }
      waiters++;
      waiting.computeIfAbsent(application, id -> new ArrayList<>()).add(answer);
    }
    CompletableFuture<?> unused =
        answer.whenComplete((verifier, gone) -> leave(application, answer));
    return answer;
  }

  private synchronized void leave(ApplicationId application, CompletableFuture<Verifier> waiter) {
    List<CompletableFuture<Verifier>> others = waiting.get(application);
    if (others != null && others.removeIf(other -> other == waiter)) {
      waiters--;
      if (others.isEmpty()) {
        waiting.remove(application);
      }
    }
  }

  /** Takes what the coordinator says; it may be newer than what was known. */
  public void learn(KnownVerifiers told) {
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      if (told.first()) {
        list++;
      }
      told.applications()
          .forEach(
              (application, verifier) -> {
                if (known.size() < MAX_KNOWN || known.containsKey(application)) {
                  known.put(application, new Known(verifier, list));
                }
                waiting
                    .getOrDefault(application, List.of())
                    .forEach(waiter -> answers.add(() -> waiter.complete(verifier)));
              });
      if (told.last()) {
        known.values().removeIf(entry -> entry.list != list);
      }
    }
    answers.forEach(Runnable::run);
  }

  /** The application has ended: nobody can prove to be it any more. */
  public synchronized void forget(ApplicationId application) {
    known.remove(application);
  }

  /** Applications that can prove themselves. */
  public synchronized int size() {
    return known.size();
  }

  /** Connections that wait to become known. */
  public synchronized int waiting() {
    return waiters;
  }
}

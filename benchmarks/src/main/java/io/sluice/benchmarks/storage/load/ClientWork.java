package io.sluice.benchmarks.storage.load;

/**
 * Runs what synthetic clients do on a server's threads, and counts what it takes, so that nobody
 * takes it for the server's. Thread-safe.
 */
@FunctionalInterface
public interface ClientWork {
  /** Runs it, on the calling thread. */
  void run(Runnable work);
}

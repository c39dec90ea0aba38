package io.sluice.server.memory;

/** How badly those who push wait for memory. Thread-safe; answers at once. */
public interface MemoryShortage {
  /** Somebody waits for memory. */
  boolean waiting();

  /** Somebody has waited for long, although unused credit was asked back meanwhile. */
  boolean starving();
}

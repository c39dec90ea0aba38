package io.sluice.server.memory;

/** How badly those who push wait for memory. Thread-safe; answers at once. */
public interface MemoryShortage {
  /** Somebody waits for memory. */
  boolean waiting();

  /** Somebody has waited for long, although unused credit was asked back meanwhile. */
  boolean starving();

  /** Somebody of either kind. */
  static MemoryShortage either(MemoryShortage one, MemoryShortage other) {
    return new MemoryShortage() {
      @Override
      public boolean waiting() {
        return one.waiting() || other.waiting();
      }

      @Override
      public boolean starving() {
        return one.starving() || other.starving();
      }
    };
  }
}

package io.sluice.server.memory;

/**
 * A token for bytes of the arena that are held but not yet turned into chunks. Owned by one thread
 * at a time; closed exactly once, which gives back what is left.
 */
public final class MemoryReservation implements AutoCloseable {
  private final MemoryBudget budget;
  private long bytes;
  private boolean closed;

  MemoryReservation(MemoryBudget budget, long bytes) {
    this.budget = budget;
    this.bytes = bytes;
  }

  /** Where the bytes go back to. */
  MemoryBudget budget() {
    return budget;
  }

  /** Bytes still held. */
  public long bytes() {
    return bytes;
  }

  /** Takes more from the budget; false, and nothing taken, if so many bytes are not free. */
  public boolean grow(long more) {
    requireOpen();
    if (!budget.tryTake(more)) {
      return false;
    }
    bytes += more;
    return true;
  }

  /** Gives part back to the budget. */
  public void shrink(long less) {
    take(less);
    budget.release(less);
  }

  /** Moves part of this reservation into a new one. */
  public MemoryReservation split(long part) {
    take(part);
    return new MemoryReservation(budget, part);
  }

  /** Takes over all of another reservation, which is closed by it. */
  public void absorb(MemoryReservation other) {
    requireOpen();
    other.requireOpen();
    if (other.budget != budget || other == this) {
      throw new IllegalArgumentException("not a reservation to absorb");
    }
    bytes += other.bytes;
    other.bytes = 0;
    other.closed = true;
  }

  /** Takes bytes out of the reservation; the caller now answers for them. */
  void take(long part) {
    requireOpen();
    if (part < 0 || part > bytes) {
      throw new IllegalStateException("reservation of " + bytes + " bytes cannot yield " + part);
    }
    bytes -= part;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("reservation is closed");
    }
  }

  @Override
  public void close() {
    requireOpen();
    closed = true;
    long rest = bytes;
    bytes = 0;
    budget.release(rest);
  }
}

package io.sluice.transport.push;

/**
 * What one connection may push, in bytes of charge. On the event loop only.
 *
 * <p>One WANT is under way at a time. It asks for what is queued beyond the credit at hand, but for
 * no less than a quantum: as long as the queue outgrows the window, the window grows by at least a
 * quantum each round trip, and in the steady state refunds keep it there. After a refusal the
 * window lives off refunds and asks again only when nothing is in flight any more.
 */
public final class CreditWindow {
  private final long quantum;
  private final long largestWant;
  private long seed;
  private long available;
  private long wanted;
  private boolean refused;

  public CreditWindow(long quantum, long largestWant) {
    this.quantum = quantum;
    this.largestWant = largestWant;
  }

  /** A new connection: nothing is left of what the old one had. */
  public void reset(long newSeed) {
    seed = newSeed;
    available = newSeed;
    wanted = 0;
    refused = false;
  }

  public long available() {
    return available;
  }

  public long aboveSeed() {
    return available - seed;
  }

  /** Spends credit, if there is enough. */
  public boolean take(long charge) {
    if (charge > available) {
      return false;
    }
    available -= charge;
    return true;
  }

  public void refund(long bytes) {
    available += bytes;
  }

  public void granted(long bytes) {
    available += bytes;
    wanted = 0;
    refused = false;
  }

  public void refused() {
    wanted = 0;
    refused = true;
  }

  /**
   * Bytes to ask for now, or 0; they count as asked for.
   *
   * @param queued charge of what waits to be sent
   * @param inFlight whether anything sent is unanswered
   */
  public long want(long queued, boolean inFlight) {
    if (wanted > 0 || queued <= available || (refused && inFlight)) {
      return 0;
    }
    refused = false;
    wanted = Math.min(largestWant, Math.max(quantum, queued - available));
    return wanted;
  }

  /**
   * Gives up credit that is neither seed nor needed for what is queued; all but the seed, if it is
   * too little to send anything with. Otherwise many clients could hold all of a server's memory,
   * each a little less than its next block needs.
   *
   * @param sendable whether something of what is queued is covered
   * @param upTo at most so many bytes
   * @return bytes given up, which the caller must return to the server
   */
  public long giveUp(long queued, boolean sendable, long upTo) {
    long kept = sendable ? Math.max(seed, queued) : seed;
    long spare = Math.min(upTo, available - kept);
    if (spare <= 0) {
      return 0;
    }
    available -= spare;
    return spare;
  }
}

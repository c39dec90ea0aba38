package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.memory.MemoryReservation;

/**
 * The credit of one connection, on its event loop.
 *
 * <p>Every byte of credit the client holds is backed by a byte of the reservation; what a received
 * block was charged stays in the reservation until its memory is taken out or its acknowledgement
 * gives it back as credit. Hence always: {@code held.bytes() >= credit}.
 */
public final class ConnectionAccount implements AutoCloseable {
  private final CreditBroker broker;
  private final CreditHolder holder;
  private final MemoryReservation held;
  private final UnusedCredit unused;
  private long credit;
  private long moved;
  // Whether the broker was told that there is more than a seed here.
  private boolean rich;

  /** Joins the broker; {@link #credit} is the seed then. */
  public ConnectionAccount(CreditBroker broker, CreditHolder holder) {
    this.broker = broker;
    this.holder = holder;
    this.held = broker.join(holder);
    this.unused = new UnusedCredit(broker.limits().reclaimNanos());
    this.credit = held.bytes();
  }

  /** What the client may send now, in bytes. */
  public long credit() {
    return credit;
  }

  /** Where memory for blocks received on credit comes from. */
  public MemoryReservation held() {
    return held;
  }

  /**
   * A block came.
   *
   * @throws SluiceException CREDIT_EXCEEDED if the client had not so much
   */
  public void spend(long charge) {
    if (charge > credit) {
      throw new SluiceException(
          ErrorCode.CREDIT_EXCEEDED,
          "a block of " + charge + " bytes was pushed on a credit of " + credit);
    }
    credit -= charge;
    moved += charge;
  }

  /**
   * Blocks are answered: as much of their charge becomes credit again as is backed, or can be
   * backed at once.
   *
   * @return the refund, for the answer
   */
  public long refund(long charge) {
    long missing = credit + charge - held.bytes();
    if (missing > 0) {
      missing -= broker.regain(held, missing);
    }
    long refund = charge - Math.max(0, missing);
    credit += refund;
    noteRich();
    return refund;
  }

  /** The broker's answer to a WANT arrived. */
  public void add(MemoryReservation granted) {
    credit += granted.bytes();
    held.absorb(granted);
    noteRich();
  }

  /** What the client could spare if it has nothing to send: all but the seed. */
  public long spare() {
    long spare = credit - broker.limits().seedBytes();
    if (spare <= 0 && rich) {
      rich = false;
      broker.rich(holder, false);
    }
    return Math.max(0, spare);
  }

  /**
   * Whether the client has done nothing for too long with what it can spare, which it is about to
   * be asked for because others wait for memory.
   */
  public boolean sitsOn(long spare) {
    return unused.isOverdue(spare, moved, broker.now());
  }

  private void noteRich() {
    if (!rich && credit > broker.limits().seedBytes()) {
      rich = true;
      broker.rich(holder, true);
    }
  }

  /**
   * The client gave credit back.
   *
   * @param application that it was granted to
   * @throws SluiceException CREDIT_EXCEEDED if it had not so much
   */
  public void giveBack(Object application, long bytes) {
    if (bytes > credit) {
      throw new SluiceException(
          ErrorCode.CREDIT_EXCEEDED, bytes + " bytes of credit returned out of " + credit);
    }
    credit -= bytes;
    moved += bytes;
    // Before others are called whose turn it is then.
    broker.givenBack(holder, application, bytes);
    held.shrink(bytes);
  }

  /** The connection is gone. */
  @Override
  public void close() {
    credit = 0;
    broker.leave(holder, held);
  }
}

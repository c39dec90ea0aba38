package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * The servers that one driver is told of, by number: those that its placements name, and candidates
 * for others. It only grows while a stream lasts, since the driver may move partitions to whatever
 * it was told of.
 */
final class Scope {
  private final BitSet used = new BitSet();
  private final BitSet candidates = new BitSet();
  private final BitSet all = new BitSet();
  // Used ones that are not known, or not any more: to be told of when they say hello.
  private final Set<ServerId> awaited = new HashSet<>();
  // Where candidates may be found that are missing, if that has to be looked for.
  private final BitSet lately = new BitSet();
  private boolean everywhere;
  private boolean isShort;

  /** Those that placements name, as far as is known; only to be read. */
  BitSet used() {
    return used;
  }

  /** Those where partitions may go; added to by who calls {@link #found} then. */
  BitSet candidates() {
    return candidates;
  }

  /** All; only to be read. */
  BitSet all() {
    return all;
  }

  Set<ServerId> awaited() {
    return awaited;
  }

  /**
   * A placement names these.
   *
   * @return those that are new here
   */
  BitSet use(BitSet more) {
    used.or(more);
    return add(more);
  }

  void use(int number) {
    used.set(number);
    all.set(number);
  }

  /**
   * Candidates were looked for.
   *
   * @param stillShort whether there are too few
   * @return those that are new here
   */
  BitSet found(boolean stillShort) {
    isShort = stillShort;
    everywhere = false;
    lately.clear();
    return add(candidates);
  }

  private BitSet add(BitSet more) {
    BitSet added = (BitSet) more.clone();
    added.andNot(all);
    all.or(added);
    return added;
  }

  /** Candidates are to be counted, and looked for among all servers. */
  void seek() {
    everywhere = true;
  }

  /**
   * These servers are new, or changed.
   *
   * @return whether candidates are to be looked for
   */
  boolean seekAfter(BitSet changed) {
    if (candidates.intersects(changed)) {
      everywhere = true;
    } else if (isShort) {
      lately.or(changed);
    }
    return everywhere || !lately.isEmpty();
  }

  boolean seeksEverywhere() {
    return everywhere;
  }

  /** Servers that are new or changed, among which candidates may be; only to be read. */
  BitSet seeksAmong() {
    return lately;
  }

  /**
   * A number is nobody's any more.
   *
   * @return whether it was told of
   */
  boolean forget(int number) {
    boolean was = all.get(number);
    used.clear(number);
    candidates.clear(number);
    all.clear(number);
    lately.clear(number);
    return was;
  }
}

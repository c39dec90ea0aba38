package io.sluice.server.lifecycle;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an integer handle of a connection stands for. Used on the connection's event loop.
 *
 * <p>A push needs a life that has kept everything since the incarnation that the placement names:
 * else its blocks would join others that are lost. A fetch does not: what older incarnations
 * brought to a disk is served, and the reader itself finds what is missing. But a shuffle of which
 * nothing is here is never answered as an empty one.
 */
public final class ShuffleHandle {
  private final ShuffleKey key;
  private final long incarnation;
  private final ShuffleRegistry registry;
  private final Supplier<ServerIdentity> current;
  private final List<ReplicaMember> others;
  private @Nullable Shuffle found;

  /**
   * @param incarnation named by the peer's placement
   * @param current who this server is
   * @param others to whom blocks go on
   */
  public ShuffleHandle(
      ShuffleKey key,
      long incarnation,
      ShuffleRegistry registry,
      Supplier<ServerIdentity> current,
      List<ReplicaMember> others) {
    this.key = key;
    this.incarnation = incarnation;
    this.registry = registry;
    this.current = current;
    this.others = others;
  }

  public ShuffleKey key() {
    return key;
  }

  /** The other members of the set that must hold what is pushed; always the same list. */
  public List<ReplicaMember> others() {
    return others;
  }

  /** The shuffle to store blocks in, or null: then see {@link #refusal}. */
  public @Nullable Shuffle forPush() {
    if (stale()) {
      return null;
    }
    Shuffle shuffle = found;
    if (shuffle == null || shuffle.removed()) {
      shuffle = registry.forPush(key);
      found = shuffle;
    }
    return shuffle;
  }

  /**
   * Why its application may not even begin the shuffle here, or null if it may. To be asked before
   * {@link #forPush}, which makes it; what has begun is looked up nowhere.
   */
  public @Nullable QuotaRefusal refusalToBegin() {
    return found == null ? registry.refusal(key) : null;
  }

  /** The shuffle to read from, or null: then see {@link #refusal}. */
  public @Nullable Shuffle forFetch() {
    return registry.find(key);
  }

  /** Why there is no shuffle. */
  public ErrorCode refusal() {
    return stale() ? ErrorCode.STALE_INCARNATION : ErrorCode.UNKNOWN_SHUFFLE;
  }

  private boolean stale() {
    return !current.get().keeps(incarnation);
  }
}

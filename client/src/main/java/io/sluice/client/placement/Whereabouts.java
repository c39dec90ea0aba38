package io.sluice.client.placement;

import io.sluice.client.PlacedServer;
import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a server that a process cannot reach: what becomes of it, and where it is now.
 * Immutable; travels from the driver.
 */
public final class Whereabouts implements Serializable {
  /** Nobody says anything. */
  public static final Whereabouts UNKNOWN = new Whereabouts(Prospect.UNKNOWN, null);

  private static final long serialVersionUID = 1;

  private final Prospect prospect;
  private final @Nullable PlacedServer now;

  private Whereabouts(Prospect prospect, @Nullable PlacedServer now) {
    this.prospect = prospect;
    this.now = now;
  }

  /** Of a server whose address nobody knows, or which is not worth going to. */
  public static Whereabouts of(Prospect prospect) {
    return new Whereabouts(prospect, null);
  }

  /**
   * @param now its latest life and address that coordinators know
   */
  public static Whereabouts of(Prospect prospect, PlacedServer now) {
    return new Whereabouts(prospect, now);
  }

  public Prospect prospect() {
    return prospect;
  }

  /**
   * The server's latest life and address, as coordinators know them; it need not be there at the
   * moment.
   */
  public Optional<PlacedServer> now() {
    return Optional.ofNullable(now);
  }

  @Override
  public String toString() {
    return prospect + (now == null ? "" : " at " + now);
  }
}

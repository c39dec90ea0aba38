package io.sluice.common.placement;

import java.util.Objects;

/**
 * Where a server stands, as its operator says: machines of one rack, or of one zone, fail together.
 * Immutable.
 */
public final class Place {
  /** Nobody has said where. */
  public static final Place UNKNOWN = new Place("", "");

  private final String zone;
  private final String rack;

  /**
   * @param zone empty if it is not known
   * @param rack empty if it is not known; means something within its zone only
   */
  public Place(String zone, String rack) {
    this.zone = zone;
    this.rack = rack;
  }

  public String zone() {
    return zone;
  }

  public String rack() {
    return rack;
  }

  /** Servers whose zone is not known share one, too. */
  public boolean sharesZone(Place other) {
    return zone.equals(other.zone);
  }

  /** Servers of one zone whose rack is not known share one, too. */
  public boolean sharesRack(Place other) {
    return sharesZone(other) && rack.equals(other.rack);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Place && sharesRack((Place) other);
  }

  @Override
  public int hashCode() {
    return Objects.hash(zone, rack);
  }

  @Override
  public String toString() {
    return "zone '" + zone + "', rack '" + rack + "'";
  }
}

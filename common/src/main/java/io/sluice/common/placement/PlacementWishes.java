package io.sluice.common.placement;

import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What an application wants of the servers that hold its shuffles. Immutable. */
public final class PlacementWishes {
  public static final PlacementWishes NONE =
      new PlacementWishes(Optional.empty(), Collections.emptySet(), "");

  private final Optional<PlacementStyle> style;
  private final SortedSet<String> tags;
  private final String zone;
  private final boolean grpc;

  /**
   * @param style empty: the cluster's
   * @param tags all of which a server has to have
   * @param zone where the application runs, empty if it does not say
   */
  public PlacementWishes(Optional<PlacementStyle> style, Collection<String> tags, String zone) {
    this(style, tags, zone, false);
  }

  private PlacementWishes(
      Optional<PlacementStyle> style, Collection<String> tags, String zone, boolean grpc) {
    this.style = style;
    this.tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
    this.zone = zone;
    this.grpc = grpc;
  }

  /**
   * The same with a transport.
   *
   * @param needed whether the application reaches servers over gRPC alone
   */
  public PlacementWishes withGrpc(boolean needed) {
    return new PlacementWishes(style, tags, zone, needed);
  }

  public Optional<PlacementStyle> style() {
    return style;
  }

  /** Tags that a server must have, in their order. */
  public SortedSet<String> tags() {
    return tags;
  }

  public String zone() {
    return zone;
  }

  /**
   * The zone that the application's data is to stay in where it can, empty if none.
   *
   * @param standard the cluster's style
   */
  public String keptIn(PlacementStyle standard) {
    return style.orElse(standard) == PlacementStyle.ZONE_LOCAL ? zone : "";
  }

  /** Whether a server has to have a data port for gRPC. */
  public boolean grpc() {
    return grpc;
  }

  /** Only what a server must have: the same for applications that may use the same servers. */
  public PlacementWishes ofServers() {
    return new PlacementWishes(Optional.empty(), tags, "", grpc);
  }

  /**
   * Whether a server may hold the application's data at all.
   *
   * @param serverTags that it has
   * @param offersGrpc whether it has a data port for gRPC
   */
  public boolean allow(Collection<String> serverTags, boolean offersGrpc) {
    return serverTags.containsAll(tags) && (offersGrpc || !grpc);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof PlacementWishes)) {
      return false;
    }
    PlacementWishes that = (PlacementWishes) other;
    return style.equals(that.style)
        && tags.equals(that.tags)
        && zone.equals(that.zone)
        && grpc == that.grpc;
  }

  @Override
  public int hashCode() {
    return Objects.hash(style, tags, zone, grpc);
  }

  @Override
  public String toString() {
    return style.map(Enum::toString).orElse("the cluster's style")
        + ", tags "
        + tags
        + ", zone '"
        + zone
        + "'"
        + (grpc ? ", over gRPC" : "");
  }
}

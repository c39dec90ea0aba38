package io.sluice.coordinator.membership;

import io.sluice.common.placement.Place;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a server's operator says of it.
 *
 * @param tags what applications may ask for, in their order
 */
public record ServerTraits(Place place, Set<String> tags) {
  public static final ServerTraits NONE = new ServerTraits(Place.UNKNOWN, Set.of());

  public ServerTraits {
    tags = Collections.unmodifiableSet(new TreeSet<>(tags));
  }
}

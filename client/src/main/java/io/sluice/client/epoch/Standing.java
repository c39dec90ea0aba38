package io.sluice.client.epoch;

import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where servers stand, and what it is worth not to have two copies of a partition near each other.
 * A server in another zone may be twice as full as one in another rack of a zone that a copy is in
 * already, and that twice as full as one in its rack: the measure by which coordinators place, too.
 * One host gets two copies only where there is no other.
 */
final class Standing {
  private static final double RACK_PRICE = 2;
  private static final double NEAR_PRICE = 4;

  /** Beyond what loads of a million partitions and weights of 63 bits make good. */
  private static final double HOST_PRICE = 1e30;

  private final Map<ServerId, Place> places;

  private Standing(Map<ServerId, Place> places) {
    this.places = places;
  }

  static Standing of(Collection<LiveServer> live) {
    Map<ServerId, Place> places = new HashMap<>();
    live.forEach(one -> places.put(one.server().id(), one.place()));
    return new Standing(places);
  }

  /** By what a candidate's load is to be multiplied if it joins a set; at least 1. */
  double price(LiveServer candidate, List<PlacedServer> set) {
    double price = 1;
    for (PlacedServer member : set) {
      Place place = places.get(member.id());
      if (member.host().equals(candidate.server().host())) {
        return HOST_PRICE;
      }
      if (place != null && place.sharesRack(candidate.place())) {
        price = NEAR_PRICE;
      } else if (place != null && place.sharesZone(candidate.place())) {
        price = Math.max(price, RACK_PRICE);
      }
    }
    return price;
  }
}

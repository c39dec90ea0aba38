package io.sluice.coordinator.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Candidates as a tree: the cluster, its zones, their racks, their hosts, their servers. Children
 * are in random order.
 */
final class PlaceNode {
  private final List<PlaceNode> children;
  private final List<Candidate> servers;
  private final double weight;
  private final int rooms;
  private final boolean strict;

  private PlaceNode(List<PlaceNode> children, List<Candidate> servers, int rooms, boolean strict) {
    this.children = children;
    this.servers = servers;
    this.rooms = rooms;
    this.strict = strict;
    this.weight =
        children.isEmpty()
            ? servers.stream().mapToDouble(Candidate::weight).sum()
            : children.stream().mapToDouble(PlaceNode::weight).sum();
  }

  static PlaceNode of(List<Candidate> candidates, int replicas, SplittableRandom random) {
    // Sorted, so that the answer depends on the seed and not on who registered first.
    List<Candidate> sorted = new ArrayList<>(candidates);
    sorted.sort(
        Comparator.comparing((Candidate c) -> c.address().id().high())
            .thenComparing(c -> c.address().id().low()));
    SortedMap<String, List<Candidate>> hosts = group(sorted, one -> one.address().host());
    boolean shared = hosts.size() < replicas;
    List<Host> standing = new ArrayList<>();
    // A host stands where its first server says, should they contradict each other.
    hosts.values().forEach(servers -> standing.add(new Host(servers, shared, random)));
    List<PlaceNode> zones = new ArrayList<>();
    for (List<Host> zone : group(standing, host -> host.first().place().zone()).values()) {
      List<PlaceNode> racks = new ArrayList<>();
      for (List<Host> rack : group(zone, host -> host.first().place().rack()).values()) {
        racks.add(inner(rack.stream().map(Host::node).toList(), true, random));
      }
      zones.add(inner(racks, false, random));
    }
    return inner(zones, false, random);
  }

  private static <T> SortedMap<String, List<T>> group(List<T> all, Function<T, String> by) {
    SortedMap<String, List<T>> groups = new TreeMap<>();
    for (T one : all) {
      groups.computeIfAbsent(by.apply(one), name -> new ArrayList<>()).add(one);
    }
    return groups;
  }

  private static PlaceNode inner(
      List<PlaceNode> children, boolean strict, SplittableRandom random) {
    List<PlaceNode> shuffled = new ArrayList<>(children);
    for (int i = shuffled.size() - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      PlaceNode swap = shuffled.get(i);
      shuffled.set(i, shuffled.get(j));
      shuffled.set(j, swap);
    }
    int rooms = shuffled.stream().mapToInt(PlaceNode::rooms).sum();
    return new PlaceNode(shuffled, List.of(), rooms, strict);
  }

  /** One host, of which each server may get a copy if hosts are too few, else only one. */
  private record Host(Candidate first, PlaceNode node) {
    Host(List<Candidate> servers, boolean shared, SplittableRandom random) {
      this(
          servers.get(0),
          shared
              ? inner(
                  servers.stream()
                      .map(server -> new PlaceNode(List.of(), List.of(server), 1, true))
                      .toList(),
                  true,
                  random)
              : new PlaceNode(List.of(), servers, 1, true));
    }
  }

  /** Empty for what is not divided any further. */
  List<PlaceNode> children() {
    return children;
  }

  /** Of a node without children, at least one. */
  List<Candidate> servers() {
    return servers;
  }

  double weight() {
    return weight;
  }

  /** Copies of one partition that there are places for. */
  int rooms() {
    return rooms;
  }

  /** Whether copies are kept apart among the children whatever these weigh. */
  boolean strict() {
    return strict;
  }
}

package io.sluice.coordinator.placement;

import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Candidates laid end to end, hosts together, on a line of integer length replicas x {@link #UNIT},
 * each as long as its share of the weight, no group longer than one unit. What a group is cut by is
 * shared by the rest, in proportion (two hosts with two replicas get half each, whatever they
 * weigh).
 *
 * <p>Groups are hosts, or single servers where there are fewer hosts than replicas.
 */
final class HostLine {
  /**
   * Length of the line per replica. 2^40 keeps the rounding of a share below a millionth of a
   * thousandth, and leaves room for 2^23 slots x a unit in 63 bits.
   */
  static final long UNIT = 1L << 40;

  private static final int PHASE_BITS = 20;

  private final List<Candidate> order;
  private final long[] ends;

  private HostLine(List<Candidate> order, long[] ends) {
    this.order = order;
    this.ends = ends;
  }

  static HostLine of(List<Candidate> candidates, int replicas, SplittableRandom random) {
    List<List<Candidate>> groups = group(candidates, replicas);
    shuffle(groups, random);
    long[] lengths = lengths(groups, replicas);
    List<Candidate> order = new ArrayList<>(candidates.size());
    long[] ends = new long[candidates.size()];
    long position = 0;
    for (int g = 0; g < lengths.length; g++) {
      List<Candidate> servers = groups.get(g);
      double weight = weightOf(servers);
      double passed = 0;
      for (Candidate server : servers) {
        passed += server.weight();
        ends[order.size()] = position + (long) (lengths[g] * Math.min(1, passed / weight));
        order.add(server);
      }
      position += lengths[g];
      ends[order.size() - 1] = position;
    }
    return new HostLine(order, ends);
  }

  private static List<List<Candidate>> group(List<Candidate> candidates, int replicas) {
    // Sorted, so that the answer depends on the seed and not on who registered first.
    List<Candidate> sorted = new ArrayList<>(candidates);
    sorted.sort(
        Comparator.comparing((Candidate c) -> c.address().id().high())
            .thenComparing(c -> c.address().id().low()));
    TreeMap<String, List<Candidate>> hosts = new TreeMap<>();
    for (Candidate candidate : sorted) {
      hosts.computeIfAbsent(candidate.address().host(), host -> new ArrayList<>()).add(candidate);
    }
    List<List<Candidate>> groups = new ArrayList<>();
    if (hosts.size() >= replicas) {
      groups.addAll(hosts.values());
    } else {
      sorted.forEach(candidate -> groups.add(List.of(candidate)));
    }
    return groups;
  }

  private static void shuffle(List<List<Candidate>> groups, SplittableRandom random) {
    for (int i = groups.size() - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      List<Candidate> swap = groups.get(i);
      groups.set(i, groups.get(j));
      groups.set(j, swap);
    }
  }

  /** Integer lengths that add up to replicas x UNIT, none above UNIT. */
  private static long[] lengths(List<List<Candidate>> groups, int replicas) {
    int count = groups.size();
    Integer[] heaviestFirst = new Integer[count];
    double remainingWeight = 0;
    for (int g = 0; g < count; g++) {
      heaviestFirst[g] = g;
      remainingWeight += weightOf(groups.get(g));
    }
    Arrays.sort(heaviestFirst, Comparator.comparingDouble(g -> -weightOf(groups.get(g))));
    long[] lengths = new long[count];
    long remaining = replicas * UNIT;
    // Heaviest first: once one group fits below UNIT, all lighter ones do. The last ones take what
    // rounding left; each has room, because what remains never exceeds UNIT x the groups left.
    for (int i = 0; i < count; i++) {
      double weight = weightOf(groups.get(heaviestFirst[i]));
      long share = i == count - 1 ? remaining : (long) (remaining * (weight / remainingWeight));
      long atLeast = remaining - (long) (count - i - 1) * UNIT;
      lengths[heaviestFirst[i]] = Math.max(atLeast, Math.min(UNIT, share));
      remaining -= lengths[heaviestFirst[i]];
      remainingWeight = Math.max(Double.MIN_NORMAL, remainingWeight - weight);
    }
    return lengths;
  }

  private static double weightOf(List<Candidate> group) {
    double weight = 0;
    for (Candidate candidate : group) {
      weight += candidate.weight();
    }
    return weight;
  }

  int servers() {
    return order.size();
  }

  ServerAddress address(int server) {
    return order.get(server).address();
  }

  /** Where a slot of the first replica lies: in [0, UNIT), growing with the slot. */
  long point(int slot, long phase, int slots) {
    long scaled = UNIT >>> PHASE_BITS;
    return (long) slot * UNIT / slots + phase * scaled / slots;
  }

  Cursor cursor() {
    return new Cursor();
  }

  /** Finds servers for growing points. */
  final class Cursor {
    private int server;

    int serverAt(long point) {
      while (ends[server] <= point) {
        server++;
      }
      return server;
    }
  }
}

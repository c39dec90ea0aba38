package io.sluice.benchmarks.coordinator;

import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.Leaning;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.placement.PlacementRequest;
import io.sluice.coordinator.placement.PlacementStrategy;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A cluster as placement sees it: servers of 1, 2, 4 or 8 units of capacity, at the beginning
 * unevenly full, and shuffles of 100 to 20,000 partitions of uneven size that come and go, some
 * {@value #LIVE} of them at a time. Between two reports of the servers' loads {@value
 * #SHUFFLES_A_REPORT} shuffles begin, whose bytes are there with the next report. Deterministic.
 */
final class EvenCluster {
  private static final int SHUFFLES_A_REPORT = 20;
  private static final int ROUNDS = 400;
  private static final int MEASURED = 100;
  private static final int LIVE = 2_000;

  /** Of 100 to 20,000, log-uniform. */
  private static final double PARTITIONS_MEAN = 3_756;

  private static final double FILL = 0.5;
  private static final long UNIT = 64L << 30;

  private final SplittableRandom random;
  private final long[] capacity;
  private final double[] used;
  private final List<ServerAddress> addresses = new ArrayList<>();
  private final Deque<double[]> live = new ArrayDeque<>();
  private double total;

  EvenCluster(int servers, long seed) {
    random = new SplittableRandom(seed);
    capacity = new long[servers];
    used = new double[servers];
    double[] first = new double[servers];
    for (int i = 0; i < servers; i++) {
      capacity[i] = UNIT << random.nextInt(4);
      addresses.add(new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 7410));
      // A third of the servers came later and are empty.
      first[i] = i % 3 == 0 ? 0 : capacity[i] * FILL * random.nextDouble();
    }
    add(first);
  }

  private void add(double[] bytes) {
    live.addLast(bytes);
    for (int i = 0; i < bytes.length; i++) {
      used[i] += bytes[i];
      total += bytes[i];
    }
  }

  private void removeOldest() {
    double[] bytes = live.removeFirst();
    for (int i = 0; i < bytes.length; i++) {
      used[i] -= bytes[i];
      total -= bytes[i];
    }
  }

  /** How shuffles are dealt out. */
  interface Dealer {
    Placement deal(PlacementRequest request, List<Leaning.Offer> offers);

    static Dealer of(PlacementStrategy strategy) {
      return (request, offers) -> strategy.place(request, Leaning.lean(offers));
    }

    /** One server after the other, whatever they have. */
    static Dealer roundRobin() {
      int[] next = {0};
      return (request, offers) -> {
        int[] assignment = new int[request.partitions()];
        for (int p = 0; p < assignment.length; p++) {
          assignment[p] = next[0];
          next[0] = (next[0] + 1) % offers.size();
        }
        return new Placement(
            offers.stream().map(offer -> offer.candidate().address()).toList(), 1, assignment);
      };
    }
  }

  /** The mean, over the last reports, of the largest share in use over the mean share in use. */
  double imbalance(Dealer dealer) {
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<Leaning.Offer> offers = offers();
      List<double[]> begun = new ArrayList<>();
      for (int s = 0; s < SHUFFLES_A_REPORT; s++) {
        begun.add(shuffle(dealer, offers, round * 31L + s));
      }
      begun.forEach(this::add);
      while (total > FILL * capacityInAll() && live.size() > SHUFFLES_A_REPORT) {
        removeOldest();
      }
      sum += round >= ROUNDS - MEASURED ? largestOverMean() : 0;
    }
    return sum / MEASURED;
  }

  private List<Leaning.Offer> offers() {
    List<Leaning.Offer> offers = new ArrayList<>();
    for (int i = 0; i < capacity.length; i++) {
      long free = Math.max(1, (long) (capacity[i] - used[i]));
      Place place = new Place("zone-" + i % 5, "");
      offers.add(new Leaning.Offer(new Candidate(addresses.get(i), place, free), capacity[i]));
    }
    return offers;
  }

  private double[] shuffle(Dealer dealer, List<Leaning.Offer> offers, long seed) {
    int partitions = (int) (100 * Math.pow(200, random.nextDouble()));
    PlacementRequest request =
        new PlacementRequest(
            partitions, 1, seed, new PlacementRequest.Home("", seed * 0x9E37_79B9_7F4A_7C15L));
    Placement placement = dealer.deal(request, offers);
    double[] bytes = new double[capacity.length];
    double mean = FILL * capacityInAll() / LIVE / PARTITIONS_MEAN;
    for (int p = 0; p < partitions; p++) {
      ServerAddress server = placement.servers().get(placement.assignment()[p]);
      bytes[(int) server.id().low() - 1] += mean * size();
    }
    return bytes;
  }

  /** Of a partition, around 1: log-normal, so that one in a hundred is six times the mean. */
  private double size() {
    double gaussian = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
    return Math.exp(gaussian * Math.cos(2 * Math.PI * random.nextDouble()) - 0.5);
  }

  private double capacityInAll() {
    double sum = 0;
    for (long one : capacity) {
      sum += one;
    }
    return sum;
  }

  private double largestOverMean() {
    double largest = 0;
    for (int i = 0; i < capacity.length; i++) {
      largest = Math.max(largest, used[i] / capacity[i]);
    }
    return largest / (total / capacityInAll());
  }
}

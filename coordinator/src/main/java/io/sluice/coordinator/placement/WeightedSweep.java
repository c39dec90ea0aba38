package io.sluice.coordinator.placement;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Deals partitions out in proportion to weight by systematic sampling (W. G. Madow, "On the Theory
 * of Systematic Sampling", 1949): servers are laid end to end on a line, each as long as its
 * weight, and evenly spaced points are dropped on the line with a random phase. Then every server
 * gets its exact share, rounded up or down, and many small shuffles together are fair too, which
 * rounding to the nearest would not be: it would send every one-partition shuffle to the largest
 * server.
 *
 * <p><b>Replicas.</b> With R replicas the line has length R x T and partition points are spread
 * over [0, T); replica r of a point x is at x + r x T. Hosts are contiguous and none is longer than
 * T (longer ones are cut, see {@link PlaceLine}), so two replicas never meet on a host; with zones
 * and racks likewise, as far as these are even. All in integers, so that rounding cannot break
 * this.
 *
 * <p><b>Neighbours.</b> Partition numbers are mapped to points in runs of up to {@value #RUN_MAX}.
 * An engine that coalesces small neighbouring partitions (Spark's AQE) then reads most ranges from
 * one or two servers, and a server flushes and reads them as one stretch. Giving each server all of
 * its partitions as one run would serve that even better, but reducers start in partition order:
 * all of a wave would read from the same few servers while the rest idle, and a skewed key range
 * would hit one server. So there are at least {@value #RUNS_PER_SERVER} runs per server, and runs
 * that follow each other lie a golden section of the line apart.
 *
 * <p>Cost: O(n log n) in partitions and in servers.
 */
public final class WeightedSweep implements PlacementStrategy {
  static final int RUN_MAX = 8;
  static final int RUNS_PER_SERVER = 4;

  /** The golden section as a fraction of 2^64. */
  private static final long GOLDEN_SECTION = 0x9E37_79B9_7F4A_7C15L;

  /** Of a run's number: log2 of {@link PlacementRequest#MAX_PARTITIONS}, rounded up. */
  private static final int NUMBER_BITS = 21;

  @Override
  public Placement place(PlacementRequest request, List<Candidate> candidates) {
    int replicas = request.replicas();
    if (candidates.size() < replicas) {
      throw new SluiceException(
          ErrorCode.NO_SERVERS,
          "only " + candidates.size() + " servers can take data, needed are " + replicas);
    }
    if (request.partitions() == 0) {
      return new Placement(List.of(), replicas, new int[0]);
    }
    SplittableRandom random = new SplittableRandom(request.seed());
    PlaceLine line = PlaceLine.of(candidates, replicas, random);
    int[] assignment = new int[Math.multiplyExact(request.partitions(), replicas)];
    int[] partitionOfSlot = spread(request.partitions(), candidates.size());
    // Phase within one slot, as a fraction of 2^20.
    long phase = random.nextInt(1 << 20);
    for (int replica = 0; replica < replicas; replica++) {
      PlaceLine.Cursor cursor = line.cursor();
      for (int slot = 0; slot < request.partitions(); slot++) {
        long point = line.point(slot, phase, request.partitions()) + replica * PlaceLine.UNIT;
        // Readers ask the first replica first: take turns, or the head of the line has all the
        // work.
        int turn = (replica + slot / RUN_MAX) % replicas;
        assignment[partitionOfSlot[slot] * replicas + turn] = cursor.serverAt(point);
      }
    }
    return onlyUsed(line, replicas, assignment);
  }

  /** Which partition sits at each of the evenly spaced slots along the line. */
  private static int[] spread(int partitions, int servers) {
    int runLength = Math.max(1, Math.min(RUN_MAX, partitions / (servers * RUNS_PER_SERVER)));
    // Whole runs change places with each other; what is left over stays at the end of the line.
    int[] runAt = goldenOrder(partitions / runLength);
    int[] partitionOfSlot = new int[partitions];
    int slot = 0;
    for (int run : runAt) {
      for (int i = 0; i < runLength; i++) {
        partitionOfSlot[slot++] = run * runLength + i;
      }
    }
    for (; slot < partitions; slot++) {
      partitionOfSlot[slot] = slot;
    }
    return partitionOfSlot;
  }

  /**
   * The numbers below n ordered by the fraction of their multiple of the golden section, of which
   * any few in a row lie as evenly as can be (the three-distance theorem). A stride that shares no
   * factor with n would be cheaper, but is only sometimes near enough to the golden one.
   */
  private static int[] goldenOrder(int n) {
    long[] keys = new long[n];
    for (int i = 0; i < n; i++) {
      // The product modulo 2^64 is the fraction; its upper bits above the number itself.
      keys[i] = (((i * GOLDEN_SECTION) >>> 1) & -(1L << NUMBER_BITS)) | i;
    }
    Arrays.sort(keys);
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      order[i] = (int) (keys[i] & ((1L << NUMBER_BITS) - 1));
    }
    return order;
  }

  /** Renumbers servers so that only those with a partition are named. */
  private static Placement onlyUsed(PlaceLine line, int replicas, int[] assignment) {
    int[] numbers = new int[line.servers()];
    Arrays.fill(numbers, -1);
    List<ServerAddress> used = new ArrayList<>();
    for (int i = 0; i < assignment.length; i++) {
      int server = assignment[i];
      if (numbers[server] < 0) {
        numbers[server] = used.size();
        used.add(line.address(server));
      }
      assignment[i] = numbers[server];
    }
    return new Placement(used, replicas, assignment);
  }
}

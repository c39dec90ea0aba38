package io.sluice.coordinator.placement;

import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Candidates laid end to end on a line of integer length replicas x {@link #UNIT}, those of one
 * host, rack and zone together, each as long as its share of the weight but for what keeps copies
 * of one partition apart: see {@link Shares}. No host is longer than one unit (no server, where
 * there are fewer hosts than replicas), and every zone and rack is as short as can be.
 */
final class PlaceLine {
  /**
   * Length of the line per replica. 2^40 keeps the rounding of a share below a millionth of a
   * thousandth, and leaves room for 2^23 slots x a unit in 63 bits.
   */
  static final long UNIT = 1L << 40;

  private static final int PHASE_BITS = 20;

  private final List<Candidate> order = new ArrayList<>();
  private final long[] ends;

  private PlaceLine(int servers) {
    this.ends = new long[servers];
  }

  static PlaceLine of(List<Candidate> candidates, int replicas, SplittableRandom random) {
    PlaceLine line = new PlaceLine(candidates.size());
    line.lay(PlaceNode.of(candidates, replicas, random), 0, replicas * UNIT);
    return line;
  }

  private void lay(PlaceNode node, long position, long length) {
    if (node.children().isEmpty()) {
      double passed = 0;
      for (Candidate server : node.servers()) {
        passed += server.weight();
        ends[order.size()] = position + (long) (length * Math.min(1, passed / node.weight()));
        order.add(server);
      }
      ends[order.size() - 1] = position + length;
      return;
    }
    long[] lengths = Shares.divide(node, length);
    long at = position;
    for (int i = 0; i < lengths.length; i++) {
      lay(node.children().get(i), at, lengths[i]);
      at += lengths[i];
    }
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

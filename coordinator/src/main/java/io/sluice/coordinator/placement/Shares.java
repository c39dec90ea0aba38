package io.sluice.coordinator.placement;

import java.util.Arrays;
import java.util.List;

/**
 * Divides a stretch of the line among the children of a node in proportion to their weights, but so
 * that as few copies of one partition as possible meet in one of them.
 *
 * <p>Copies of a partition lie {@link PlaceLine#UNIT} apart, so a child of at most c units has at
 * most c of them. The least c is taken for which the children have room. Zones and racks may be too
 * uneven for that: of two zones one of which has a tenth of the room, each would get half. So where
 * some child would get more than {@value #CROWDING_MAX} times what its weight says, c grows.
 */
final class Shares {
  static final double CROWDING_MAX = 2;

  private Shares() {}

  /** Lengths of the children of a node, which add up to the node's own. */
  static long[] divide(PlaceNode node, long length) {
    List<PlaceNode> children = node.children();
    int most = (int) ((length + PlaceLine.UNIT - 1) / PlaceLine.UNIT);
    for (int copies = 1; copies < most; copies++) {
      if (room(children, copies) >= length) {
        long[] lengths = divide(children, length, copies);
        if (node.strict() || crowding(children, lengths, length) <= CROWDING_MAX) {
          return lengths;
        }
      }
    }
    return divide(children, length, Math.max(1, most));
  }

  private static long room(List<PlaceNode> children, int copies) {
    long room = 0;
    for (PlaceNode child : children) {
      room += limit(child, copies);
    }
    return room;
  }

  private static long limit(PlaceNode child, int copies) {
    return Math.min(copies, child.rooms()) * PlaceLine.UNIT;
  }

  private static double crowding(List<PlaceNode> children, long[] lengths, long length) {
    double weight = children.stream().mapToDouble(PlaceNode::weight).sum();
    double worst = 0;
    for (int i = 0; i < lengths.length; i++) {
      worst = Math.max(worst, lengths[i] / (length * (children.get(i).weight() / weight)));
    }
    return worst;
  }

  /** What a child is cut by is shared by the rest, in proportion. All in integers. */
  private static long[] divide(List<PlaceNode> children, long length, int copies) {
    int count = children.size();
    Integer[] fullestFirst = new Integer[count];
    double remainingWeight = 0;
    for (int i = 0; i < count; i++) {
      fullestFirst[i] = i;
      remainingWeight += children.get(i).weight();
    }
    Arrays.sort(
        fullestFirst,
        (one, two) ->
            Double.compare(
                children.get(two).weight() / limit(children.get(two), copies),
                children.get(one).weight() / limit(children.get(one), copies)));
    long remainingRoom = room(children, copies);
    long remaining = length;
    long[] lengths = new long[count];
    // Fullest first: once one fits below its limit, all later ones do. The last ones take what
    // rounding left; each has room, because what remains never exceeds the room of those left.
    for (int i = 0; i < count; i++) {
      int child = fullestFirst[i];
      double weight = children.get(child).weight();
      long limit = limit(children.get(child), copies);
      remainingRoom -= limit;
      long share = i == count - 1 ? remaining : (long) (remaining * (weight / remainingWeight));
      lengths[child] = Math.max(remaining - remainingRoom, Math.min(limit, share));
      remaining -= lengths[child];
      remainingWeight = Math.max(Double.MIN_NORMAL, remainingWeight - weight);
    }
    return lengths;
  }
}

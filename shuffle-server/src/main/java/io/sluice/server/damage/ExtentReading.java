package io.sluice.server.damage;

import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import java.nio.ByteBuffer;

/** The way through one extent, and what comes of it. Used by one thread at a time. */
final class ExtentReading {
  private final Look look;
  private final Look.Item item;
  private final HeaderWalk walk;

  ExtentReading(Look look, Look.Item item) {
    this.look = look;
    this.item = item;
    this.walk = new HeaderWalk(item.extent().extent());
  }

  Look look() {
    return look;
  }

  /**
   * Reads what comes next.
   *
   * @param target the store's until the callback
   */
  void read(ByteBuffer target, SegmentStore.ReadCallback callback) {
    StoredExtent extent = item.extent();
    ByteBuffer wanted = target.clear().limit(walk.wants(target.capacity()));
    ExtentPart all = ExtentPart.all(extent.extent());
    extent.store().read(all, walk.next(), wanted, callback);
  }

  /** Goes through what was read; false if there is more to read. */
  boolean goThrough(ByteBuffer bytes) {
    look.readable();
    walk.look(bytes.flip());
    return walk.wants(bytes.capacity()) == 0;
  }

  /** All was looked at: what comes behind damage is cut off. */
  void conclude(long now, DamageReport report) {
    StoredExtent extent = item.extent();
    extent.lookedThrough(now);
    String damage = walk.damage();
    if (damage == null) {
      return;
    }
    Extent reached = walk.reached();
    StoredExtent beginning = reached == null ? null : extent.beginning(reached);
    if (beginning != null) {
      beginning.lookedThrough(now);
    }
    if (item.partition().cut(extent, beginning)) {
      int left = reached == null ? 0 : reached.length();
      report.cut(look.shuffle().key(), extent, left, damage);
      look.damaged(item);
    }
  }
}

package io.sluice.server.segment;

import io.sluice.server.disk.DiskClass;

/** Kinds of stores below memory, in the order in which new extents fall through them. */
public enum Tier {
  /** Flash of this machine. */
  SSD(0),
  /** Spinning disks of this machine. */
  HDD(1),
  /** A file system that other servers reach, too. */
  HDFS(2);

  private final int depth;

  Tier(int depth) {
    this.depth = depth;
  }

  /** Of a disk of this machine. */
  public static Tier of(DiskClass kind) {
    return switch (kind) {
      case SSD -> SSD;
      case HDD -> HDD;
    };
  }

  /** How many tiers are above this one. */
  public int depth() {
    return depth;
  }
}

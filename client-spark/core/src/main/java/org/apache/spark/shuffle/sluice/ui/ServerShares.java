package org.apache.spark.shuffle.sluice.ui;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each server has of a shuffle, as its newest epochs deal partitions out. */
final class ServerShares {
  private ServerShares() {}

  /** One server's. Immutable once it is given. */
  static final class Share {
    final PlacedServer server;
    int partitions;

    /** Those of earlier epochs and all replicas counted where the newest puts them. */
    long bytes;

    private Share(PlacedServer server) {
      this.server = server;
    }
  }

  /**
   * @param bytes by partition; null if they are not known
   * @return the one with most bytes first
   */
  static List<Share> of(FixedPlacement placement, long @Nullable [] bytes) {
    List<Share> shares = new ArrayList<>();
    placement.servers().forEach(server -> shares.add(new Share(server)));
    int last = placement.epochs() - 1;
    for (int partition = 0; partition < placement.partitions(); partition++) {
      int epoch = placement.epochOf(partition, last);
      for (int replica = 0; replica < placement.replicas(epoch); replica++) {
        Share share = shares.get(placement.server(epoch, partition, replica));
        share.partitions++;
        share.bytes += bytes == null ? 0 : bytes[partition];
      }
    }
    shares.sort(
        Comparator.<Share>comparingLong(share -> share.bytes)
            .thenComparingInt(share -> share.partitions)
            .reversed());
    return shares;
  }
}

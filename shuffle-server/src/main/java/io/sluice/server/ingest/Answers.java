package io.sluice.server.ingest;

import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.server.replication.Forwarding;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ServerLink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements of one connection, gathered to one range per read as long as the numbers are
 * consecutive. On its event loop.
 */
final class Answers implements Forwarding.Answerer {
  private final ServerLink link;
  private final ConnectionAccount account;
  private final ServerStats stats;
  private final boolean ofReplicas;
  private long first;
  private int count;
  private long charge;
  private long bytes;
  private @Nullable QuotaRefusal explained;

  /**
   * @param ofReplicas whether another server brings the blocks
   */
  Answers(ServerLink link, ConnectionAccount account, ServerStats stats, boolean ofReplicas) {
    this.ofReplicas = ofReplicas;
    this.link = link;
    this.account = account;
    this.stats = stats;
  }

  /** Says why blocks are at a quota; the same again only after others were stored. */
  void explain(QuotaRefusal refusal) {
    QuotaRefusal before = explained;
    if (before == null || !refusal.sameAs(before)) {
      explained = refusal;
      link.explain(ErrorCode.QUOTA_EXCEEDED, refusal.toString());
    }
  }

  /** Says that coordinators do not hear this server, and may have given it up. */
  void unheard() {
    link.explain(ErrorCode.COORDINATOR_UNAVAILABLE, "no coordinator hears this server");
  }

  void acked(long block, long blockCharge, int length) {
    explained = null;
    if (count > 0 && block != first + count) {
      flush();
    }
    if (count == 0) {
      first = block;
    }
    count++;
    charge += blockCharge;
    bytes += length;
  }

  void nacked(long block, long blockCharge, ErrorCode code) {
    flush();
    stats.nacked(code);
    link.nack(block, 1, account.refund(blockCharge), code);
  }

  /** Blocks that other servers had to hold as well are held there. */
  @Override
  public void held(long firstBlock, int blocks, long blocksCharge, long blocksBytes) {
    flush();
    stats.pushed(blocks, blocksBytes);
    link.ack(firstBlock, blocks, account.refund(blocksCharge));
    link.flush();
  }

  /**
   * They are not. What no other server would take either, and what the client is to send again to
   * this one, is refused as if it had been here.
   */
  @Override
  public void refused(long firstBlock, int blocks, long blocksCharge, List<FailedReplica> failed) {
    flush();
    ErrorCode code = ErrorCode.REPLICA_FAILED;
    for (FailedReplica replica : failed) {
      if (replica.why().advice() == Advice.ABORT || replica.why() == ErrorCode.CORRUPT_BLOCK) {
        code = replica.why();
      }
    }
    if (code == ErrorCode.REPLICA_FAILED) {
      link.replicasFailed(failed);
    } else {
      link.explain(code, "so says " + failed);
    }
    stats.nacked(code);
    link.nack(firstBlock, blocks, account.refund(blocksCharge), code);
    link.flush();
  }

  void flush() {
    if (count > 0) {
      if (ofReplicas) {
        stats.replicasReceived(count, bytes);
      } else {
        stats.pushed(count, bytes);
      }
      link.ack(first, count, account.refund(charge));
      count = 0;
      charge = 0;
      bytes = 0;
    }
  }
}

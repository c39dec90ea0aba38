package io.sluice.server.ingest;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.transport.ServerLink;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements of one connection, gathered to one range per read as long as the numbers are
 * consecutive. On its event loop.
 */
final class Answers {
  private final ServerLink link;
  private final ConnectionAccount account;
  private final ServerStats stats;
  private long first;
  private int count;
  private long charge;
  private long bytes;
  private @Nullable QuotaRefusal explained;

  Answers(ServerLink link, ConnectionAccount account, ServerStats stats) {
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

  void flush() {
    if (count > 0) {
      stats.pushed(count, bytes);
      link.ack(first, count, account.refund(charge));
      count = 0;
      charge = 0;
      bytes = 0;
    }
  }
}

package io.sluice.simulation.scenario;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSessionFactory;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * A connection of a server that lies about one block in fifty: it lets the core take the block for
 * damaged, and turns the refusal into an acknowledgement on its way out. Or one that never tells
 * the core that the connection has ended.
 */
final class ChangedServer extends ForwardingServer {
  private static final int ONE_IN = 50;

  private final boolean lies;
  private final Set<Long> lost = new HashSet<>();
  private long partial;

  private ChangedServer(Accepting core, ServerLink link, boolean lies) {
    super(core, link);
    this.lies = lies;
  }

  /**
   * @param lies whether it lies about blocks; else it never lets go of connections
   */
  static ServerSessionFactory over(ServerSessionFactory core, boolean lies) {
    return over(core, (accepting, link) -> new ChangedServer(accepting, link, lies));
  }

  private boolean loses(long number) {
    boolean loses = lies && number % ONE_IN == ONE_IN - 1;
    if (loses) {
      lost.add(number);
    }
    return loses;
  }

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    super.block(handle, number, bytes, offset, crcMatches && !loses(number));
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    partial = number;
    super.blockBegin(handle, number, header, offset);
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    super.blockEnd(crcMatches && !loses(partial));
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    if (lost.remove(first)) {
      ack(first, count, refund);
    } else {
      super.nack(first, count, refund, code);
    }
  }

  @Override
  public void closed() {
    if (lies) {
      super.closed();
    }
  }
}

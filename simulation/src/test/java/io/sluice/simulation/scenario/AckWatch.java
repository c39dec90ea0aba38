package io.sluice.simulation.scenario;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.simulation.invariant.AckBook;
import io.sluice.simulation.invariant.AckBook.Life;
import io.sluice.simulation.invariant.AckBook.Output;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSessionFactory;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Notes what a server acknowledges on one connection, true or not. */
final class AckWatch extends ForwardingServer {
  private final AckBook book;
  private final Supplier<Life> life;
  private final Map<Integer, ShuffleKey> shuffles = new HashMap<>();
  private final Map<Long, Sent> unanswered = new HashMap<>();

  private record Sent(Output output, int block) {}

  private AckWatch(Accepting core, ServerLink link, AckBook book, Supplier<Life> life) {
    super(core, link);
    this.book = book;
    this.life = life;
  }

  /**
   * @param life of the server, now
   */
  static ServerSessionFactory over(ServerSessionFactory core, AckBook book, Supplier<Life> life) {
    return over(core, (accepting, link) -> new AckWatch(accepting, link, book, life));
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    shuffles.put(handle, shuffle);
    super.open(handle, shuffle, incarnation, others);
  }

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    sent(handle, number, bytes, offset);
    super.block(handle, number, bytes, offset, crcMatches);
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    sent(handle, number, header, offset);
    super.blockBegin(handle, number, header, offset);
  }

  private void sent(int handle, long number, ByteBuffer header, int offset) {
    ShuffleKey shuffle = shuffles.get(handle);
    if (shuffle != null) {
      Output output =
          new Output(
              shuffle,
              BlockHeader.mapIndex(header, offset),
              BlockHeader.attemptId(header, offset),
              BlockHeader.partition(header, offset));
      unanswered.put(number, new Sent(output, BlockHeader.sequence(header, offset)));
    }
  }

  @Override
  public void ack(long first, int count, long refund) {
    Life now = life.get();
    for (long number = first; number < first + count; number++) {
      Sent sent = unanswered.remove(number);
      if (sent != null) {
        book.acknowledged(sent.output(), sent.block(), now);
      }
    }
    super.ack(first, count, refund);
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    for (long number = first; number < first + count; number++) {
      unanswered.remove(number);
    }
    super.nack(first, count, refund, code);
  }
}

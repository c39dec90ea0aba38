package io.sluice.transport.session;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerSession;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Writes down what it is told, the same whether a block came whole or in parts. */
final class ServerLog implements ServerSession {
  final List<String> events = new ArrayList<>();
  int closed;

  private byte[] block = new byte[0];
  private int filled;
  private String begun = "";

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    events.add(
        "open "
            + handle
            + " "
            + shuffle
            + " "
            + incarnation
            + (others.isEmpty() ? "" : " " + others));
  }

  @Override
  public void release(int handle) {
    events.add("release " + handle);
  }

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    blockBegin(handle, number, bytes, offset);
    int stored = BlockHeader.storedLength(bytes, offset);
    if (stored > 0) {
      blockPart(bytes, offset + BlockHeader.LENGTH, stored);
    }
    blockEnd(crcMatches);
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    block = new byte[BlockHeader.LENGTH + BlockHeader.storedLength(header, offset)];
    filled = 0;
    take(header, offset, BlockHeader.LENGTH);
    begun = "block " + handle + " " + number;
  }

  @Override
  public void blockPart(ByteBuffer bytes, int offset, int length) {
    if (length < 1) {
      throw new AssertionError("empty part");
    }
    take(bytes, offset, length);
  }

  private void take(ByteBuffer bytes, int offset, int length) {
    ByteBuffer view = bytes.duplicate();
    view.position(offset);
    view.get(block, filled, length);
    filled += length;
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    if (filled != block.length) {
      throw new AssertionError(begun + " ended at " + filled + " of " + block.length);
    }
    events.add(begun + " " + Arrays.hashCode(block) + " " + crcMatches);
  }

  @Override
  public void want(long bytes) {
    events.add("want " + bytes);
  }

  @Override
  public void creditReturned(long bytes) {
    events.add("returned " + bytes);
  }

  @Override
  public void fetch(FetchRequest request) {
    events.add(
        String.format(
            Locale.ROOT,
            "fetch %d %d [%d,%d) [%d,%d) %d",
            request.stream(),
            request.handle(),
            request.firstPartition(),
            request.endPartition(),
            request.firstMap(),
            request.endMap(),
            request.credit()));
  }

  @Override
  public void inventory(int stream, int handle, int firstMap) {
    events.add("inventory " + stream + " " + handle + " " + firstMap);
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    events.add("fetchCredit " + stream + " " + bytes);
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    events.add("damaged " + stream + " " + block);
  }

  @Override
  public void fetchCancel(int stream) {
    events.add("fetchCancel " + stream);
  }

  @Override
  public void writable() {
    events.add("writable");
  }

  @Override
  public void readComplete() {}

  @Override
  public void closed() {
    closed++;
  }
}

package io.sluice.client.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.push.HandleTable;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Whole blocks, back to back in one buffer, on their way to one server.
 *
 * <p>Ownership: the writer fills a frame and hands it to {@link ServerConnection#push}; from then
 * on the connection owns it and its buffer, and releases the buffer when every block is answered,
 * or hands it back ({@link PushOwner#returned}). Blocks of a frame that were sent over one
 * connection have consecutive numbers, because frames are sent one after another; so a frame needs
 * no table of its blocks, and what it says about one of them is read from the header in the buffer.
 */
public final class PushFrame {
  private final ByteBuf buffer;
  private final ByteBuffer bytes;
  private final int capacity;
  private final PushOwner owner;
  private final int epochs;
  private final boolean secondTry;

  // Filled by the writer.
  private int length;
  private int blocks;
  private long unsentCharge;
  private int largestBlock;

  // The connection's: blocks [0, settledPrefix) are answered, as are those in settledBeyond;
  // blocks [0, sentBlocks) end at byte sentBytes; block firstSent was numbered firstNumber.
  private int settledPrefix;
  private @Nullable BitSet settledBeyond;
  private int sentBlocks;
  private int sentBytes;
  private int firstSent;
  private long firstNumber;
  private HandleTable.@Nullable Handle handle;

  // The blocks are in another frame; this one counts the answers to come, and has no buffer.
  private boolean hollow;

  /**
   * A frame that writes into a buffer, which it owns from here.
   *
   * @param epochs how many the writer knew when it chose the server
   */
  public PushFrame(ByteBuf buffer, PushOwner owner, int epochs) {
    this(buffer, buffer.nioBuffer(0, buffer.capacity()), owner, epochs, false);
  }

  private PushFrame(
      ByteBuf buffer, ByteBuffer bytes, PushOwner owner, int epochs, boolean secondTry) {
    this.buffer = buffer;
    this.bytes = bytes;
    this.capacity = buffer.capacity();
    this.owner = owner;
    this.epochs = epochs;
    this.secondTry = secondTry;
  }

  /** The whole buffer; big-endian, its position and limit are the writer's to move. */
  public ByteBuffer bytes() {
    return bytes;
  }

  public int capacity() {
    return capacity;
  }

  /** Bytes of the blocks in it. */
  public int length() {
    return length;
  }

  public int blocks() {
    return blocks;
  }

  /** Charge of what is not sent yet. */
  public long unsentCharge() {
    return unsentCharge;
  }

  /** Counts the block that the writer has put at {@link #length()}. */
  public void added(int storedLength) {
    length += BlockHeader.LENGTH + storedLength;
    blocks++;
    unsentCharge += TransportLimits.charge(storedLength);
    largestBlock = Math.max(largestBlock, storedLength);
  }

  /**
   * Whether the frame holds nothing and only asks for a connection: one with another incarnation
   * fails an owner that has stored blocks.
   */
  boolean isProbe() {
    return blocks == 0;
  }

  /** Frees the buffer of a frame that was not handed over. */
  public void discard() {
    buffer.release();
  }

  public PushOwner owner() {
    return owner;
  }

  /** How many epochs the writer knew when it chose the server. */
  public int epochs() {
    return epochs;
  }

  /** Whether its one block was refused once already. */
  boolean isSecondTry() {
    return secondTry;
  }

  int largestBlock() {
    return largestBlock;
  }

  // ------------------------------------------------------------------------------------ sending

  boolean isUnsent() {
    return sentBlocks == firstSent;
  }

  boolean isFullySent() {
    return sentBlocks == blocks;
  }

  HandleTable.@Nullable Handle handle() {
    return handle;
  }

  /** Before the first block leaves. */
  void beginSending(HandleTable.Handle newHandle, long number) {
    handle = newHandle;
    firstNumber = number;
  }

  /** How many of the blocks next in turn a credit covers. */
  int coveredBy(long credit) {
    if (unsentCharge <= credit) {
      return blocks - sentBlocks;
    }
    long left = credit;
    int at = sentBytes;
    int count = 0;
    while (sentBlocks + count < blocks) {
      int stored = BlockHeader.storedLength(bytes, at);
      left -= TransportLimits.charge(stored);
      if (left < 0) {
        break;
      }
      at += BlockHeader.LENGTH + stored;
      count++;
    }
    return count;
  }

  /** Charge of the {@code count} blocks next in turn. */
  long charge(int count) {
    return sentBlocks + count == blocks ? unsentCharge : measure(sentBytes, count).charge;
  }

  /** Marks blocks as sent; a view of them, which shares the frame's reference. */
  ByteBuf send(int count) {
    int from = sentBytes;
    if (sentBlocks + count == blocks) {
      sentBytes = length;
      unsentCharge = 0;
    } else {
      Measure measure = measure(from, count);
      sentBytes += measure.length;
      unsentCharge -= measure.charge;
    }
    sentBlocks += count;
    return buffer.slice(from, sentBytes - from);
  }

  private Measure measure(int from, int count) {
    int at = from;
    long charge = 0;
    for (int i = 0; i < count; i++) {
      int stored = BlockHeader.storedLength(bytes, at);
      charge += TransportLimits.charge(stored);
      at += BlockHeader.LENGTH + stored;
    }
    return new Measure(at - from, charge);
  }

  /** After the connection was lost: every block that is not answered is unsent again. */
  void unsend() {
    sentBytes = offsetOf(settledPrefix);
    sentBlocks = settledPrefix;
    firstSent = settledPrefix;
    settledBeyond = null;
    handle = null;
    unsentCharge = measure(sentBytes, blocks - sentBlocks).charge;
  }

  // ------------------------------------------------------------------------------ handing back

  /** Whether its blocks were taken out, and only answers are waited for. */
  boolean isHollow() {
    return hollow;
  }

  /**
   * The unanswered blocks in a frame for its owner, with the buffer. If some were sent, this frame
   * stays behind to count their answers; else it is that frame itself.
   */
  PushFrame takeOut() {
    if (isUnsent()) {
      return this;
    }
    PushFrame taken = new PushFrame(buffer, bytes, owner, epochs, secondTry);
    taken.length = length;
    taken.blocks = blocks;
    taken.largestBlock = largestBlock;
    taken.settledPrefix = settledPrefix;
    taken.settledBeyond = settledBeyond == null ? null : (BitSet) settledBeyond.clone();
    cutUnsent();
    hollow = true;
    return taken;
  }

  /** Makes a frame that was handed back ready to be pushed to its server again. */
  public void rewind() {
    unsend();
  }

  /** Hears of every block that was not answered. */
  public interface UnansweredVisitor {
    /**
     * @param at where the block begins in {@link #bytes()}
     * @param length of header and payload
     */
    void block(int at, int length) throws InterruptedException;
  }

  /** Goes through the blocks of a frame that was handed back. */
  public void forEachUnanswered(UnansweredVisitor visitor) throws InterruptedException {
    int at = 0;
    for (int i = 0; i < blocks; i++) {
      int blockLength = BlockHeader.LENGTH + BlockHeader.storedLength(bytes, at);
      if (i >= settledPrefix && (settledBeyond == null || !settledBeyond.get(i))) {
        visitor.block(at, blockLength);
      }
      at += blockLength;
    }
  }

  /** Forgets the blocks that were not sent, because nobody waits for them. */
  void cutUnsent() {
    blocks = sentBlocks;
    length = sentBytes;
    unsentCharge = 0;
  }

  // ----------------------------------------------------------------------------------- answers

  /** Number of the first block sent on this connection. */
  long firstNumber() {
    return firstNumber;
  }

  /** One past the number of the last block sent. */
  long endNumber() {
    return firstNumber + sentBlocks - firstSent;
  }

  boolean isSettled() {
    return settledPrefix == blocks;
  }

  /**
   * Marks blocks with numbers {@code [first, end)} as answered.
   *
   * @return false if one was answered before
   */
  boolean settle(long first, long end) {
    int from = (int) (first - firstNumber) + firstSent;
    int to = (int) (end - firstNumber) + firstSent;
    BitSet beyond = settledBeyond;
    if (from == settledPrefix && beyond == null) {
      settledPrefix = to;
      return true;
    }
    if (beyond == null) {
      beyond = settledBeyond = new BitSet(blocks);
    }
    int seen = beyond.nextSetBit(from);
    if (from < settledPrefix || (seen >= 0 && seen < to)) {
      return false;
    }
    beyond.set(from, to);
    settledPrefix = beyond.nextClearBit(settledPrefix);
    return true;
  }

  /** What the header of a numbered block says, for error messages. */
  String describe(long number) {
    return BlockHeader.describe(bytes, offsetOf(indexOf(number)));
  }

  /** One damaged block again, in a frame of its own that shares the buffer. */
  PushFrame again(long number) {
    return part(number, number + 1, true);
  }

  /** Blocks with numbers {@code [first, end)} in a frame of their own that shares the buffer. */
  PushFrame part(long first, long end) {
    return part(first, end, secondTry);
  }

  private PushFrame part(long first, long end, boolean isSecondTry) {
    int from = offsetOf(indexOf(first));
    int count = (int) (end - first);
    ByteBuf slice = buffer.retainedSlice(from, measure(from, count).length);
    PushFrame frame =
        new PushFrame(slice, slice.nioBuffer(0, slice.capacity()), owner, epochs, isSecondTry);
    for (int i = 0; i < count; i++) {
      frame.added(BlockHeader.storedLength(frame.bytes, frame.length));
    }
    owner.resending(frame.capacity);
    return frame;
  }

  private int indexOf(long number) {
    return (int) (number - firstNumber) + firstSent;
  }

  private int offsetOf(int block) {
    return measure(0, block).length;
  }

  /** Gives the memory back and tells the owner. Exactly once, by whoever has the frame. */
  public void release() {
    HandleTable.Handle used = handle;
    if (used != null) {
      handle = null;
      used.release();
    }
    if (hollow) {
      return;
    }
    buffer.release();
    owner.released(capacity);
  }

  /** Length and charge of a run of blocks. */
  private static final class Measure {
    final int length;
    final long charge;

    Measure(int length, long charge) {
      this.length = length;
      this.charge = charge;
    }
  }
}

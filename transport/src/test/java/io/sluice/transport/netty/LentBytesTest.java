package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.transport.OutgoingData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class LentBytesTest {
  private static final int MEMORY = 64;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY);
  private final ChannelOutput.Departures departures = new ChannelOutput.Departures();

  LentBytesTest() {
    for (int i = 0; i < MEMORY; i++) {
      memory.put(i, (byte) (i * 37));
    }
  }

  /** Pairs of a start and a length, in one memory. */
  private final class Ranges implements OutgoingData {
    private final int[] places;
    private int closed;

    Ranges(int... places) {
      this.places = places;
    }

    @Override
    public ByteBuffer[] buffers() {
      throw new AssertionError("no views are needed");
    }

    @Override
    public int ranges() {
      return places.length / 2;
    }

    @Override
    public ByteBuffer memory(int range) {
      return memory;
    }

    @Override
    public int start(int range) {
      return places[2 * range];
    }

    @Override
    public int length(int range) {
      return places[2 * range + 1];
    }

    @Override
    public int length() {
      int sum = 0;
      for (int i = 0; i < ranges(); i++) {
        sum += length(i);
      }
      return sum;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  /** The same bytes in a buffer of Netty's own. */
  private ByteBuf copy(int start, int length) {
    ByteBuf copy = Unpooled.buffer(length);
    for (int i = 0; i < length; i++) {
      copy.writeByte(memory.get(start + i));
    }
    return copy;
  }

  @Test
  void readsAsACopyDoes() throws IOException {
    // Neither where the memory's own position and limit are, nor its order, must matter.
    memory.order(ByteOrder.LITTLE_ENDIAN).position(40).limit(41);
    ByteBuf lent = LentBytes.of(new Ranges(7, 21), 0, true, departures);
    ByteBuf copy = copy(7, 21);
    assertThat(lent).isEqualTo(copy);
    assertThat(ByteBufUtil.hexDump(lent)).isEqualTo(ByteBufUtil.hexDump(copy));
    for (int i = 0; i <= 21 - 8; i++) {
      assertThat(lent.getByte(i)).isEqualTo(copy.getByte(i));
      assertThat(lent.getShort(i)).isEqualTo(copy.getShort(i));
      assertThat(lent.getShortLE(i)).isEqualTo(copy.getShortLE(i));
      assertThat(lent.getUnsignedMedium(i)).isEqualTo(copy.getUnsignedMedium(i));
      assertThat(lent.getUnsignedMediumLE(i)).isEqualTo(copy.getUnsignedMediumLE(i));
      assertThat(lent.getInt(i)).isEqualTo(copy.getInt(i));
      assertThat(lent.getIntLE(i)).isEqualTo(copy.getIntLE(i));
      assertThat(lent.getLong(i)).isEqualTo(copy.getLong(i));
      assertThat(lent.getLongLE(i)).isEqualTo(copy.getLongLE(i));
    }
    byte[] expected = new byte[9];
    copy.getBytes(5, expected);
    byte[] array = new byte[9];
    lent.getBytes(5, array);
    assertThat(array).isEqualTo(expected);
    ByteBuffer buffer = ByteBuffer.allocate(9);
    lent.getBytes(5, buffer);
    assertThat(buffer.array()).isEqualTo(expected);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    lent.getBytes(5, out, 9);
    assertThat(out.toByteArray()).isEqualTo(expected);
    assertThat(lent.nioBuffer(5, 9)).isEqualTo(ByteBuffer.wrap(expected));
    assertThat(lent.copy(5, 9)).isEqualTo(Unpooled.wrappedBuffer(expected));
    assertThat(lent.slice(5, 9)).isEqualTo(Unpooled.wrappedBuffer(expected));
    ByteBuf target = Unpooled.buffer(9);
    lent.getBytes(5, target);
    assertThat(target.array()).startsWith(expected);
    assertThat(memory.position()).isEqualTo(40);
    assertThat(memory.limit()).isEqualTo(41);
    assertThatThrownBy(() -> lent.getByte(21)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> lent.nioBuffer(20, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    lent.release();
  }

  @Test
  void itsAddressIsThatOfItsFirstByte() {
    ByteBuf first = LentBytes.of(new Ranges(0, 8), 0, true, departures);
    ByteBuf other = LentBytes.of(new Ranges(11, 8), 0, true, departures);
    assertThat(first.hasMemoryAddress()).isTrue();
    assertThat(other.memoryAddress() - first.memoryAddress()).isEqualTo(11);
    first.release();
    other.release();
  }

  @Test
  void othersBytesAreNotWritten() {
    ByteBuf lent = LentBytes.of(new Ranges(7, 21), 0, true, departures);
    assertThat(lent.isReadOnly()).isTrue();
    assertThat(lent.isWritable()).isFalse();
    assertThatThrownBy(() -> lent.setByte(0, 1)).isInstanceOf(ReadOnlyBufferException.class);
    assertThatThrownBy(() -> lent.setLong(0, 1)).isInstanceOf(ReadOnlyBufferException.class);
    assertThatThrownBy(() -> lent.setBytes(0, new byte[1]))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThatThrownBy(() -> lent.writeByte(1)).isInstanceOf(IndexOutOfBoundsException.class);
    lent.release();
  }

  @Test
  void theLastRangeClosesTheDataOnceNobodyReadsItAnyMore() {
    Ranges data = new Ranges(0, 5, 9, 5);
    ByteBuf first = LentBytes.of(data, 0, false, departures);
    ByteBuf last = LentBytes.of(data, 1, true, departures);
    first.release();
    assertThat(data.closed).isZero();
    ByteBuf part = last.readRetainedSlice(2);
    last.release();
    assertThat(data.closed).isZero();
    part.release();
    assertThat(data.closed).isEqualTo(1);
    assertThatThrownBy(last::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThat(data.closed).isEqualTo(1);
  }

  @Test
  void anEventLoopUsesObjectsAgainAndTheyBeginAnew() throws Exception {
    int uses = 10_000;
    ExecutorService loop = Executors.newSingleThreadExecutor(new DefaultThreadFactory("loop"));
    try {
      assertThat(loop.submit(() -> objects(uses)).get()).isLessThan(uses / 100);
    } finally {
      loop.shutdown();
    }
  }

  private int objects(int uses) {
    Set<ByteBuf> objects = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < uses; i++) {
      int start = i % 32;
      Ranges data = new Ranges(start, 1 + i % 16);
      ByteBuf lent = LentBytes.of(data, 0, true, departures);
      objects.add(lent);
      assertThat(lent.readableBytes()).isEqualTo(1 + i % 16);
      assertThat(lent.nioBuffer().get(0)).isEqualTo(memory.get(start));
      assertThat(lent.readByte()).isEqualTo(memory.get(start));
      lent.release();
      assertThat(data.closed).isEqualTo(1);
    }
    return objects.size();
  }
}

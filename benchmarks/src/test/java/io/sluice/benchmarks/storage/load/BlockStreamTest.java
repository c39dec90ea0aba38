package io.sluice.benchmarks.storage.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.partition.MapRange;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerSession;
import io.sluice.transport.TransportLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Blocks from the source through frames and the cutter to the checker, with no server between. */
class BlockStreamTest {
  // Blocks of 1 to 150 KB, so that some straddle frames and some frames hold many.
  private static final BlockPlan PLAN = new BlockPlan(1, 2, 3, 6, 2, 100_000);

  private final BlockSource source = new BlockSource(PLAN, new AtomicInteger());
  private final Store store = new Store();

  private void pushAll() {
    FrameCutter cutter = new FrameCutter(store);
    Frame frame = new Frame(new RandomBytes(7));
    long charged = 0;
    while (source.fill(frame)) {
      while (frame.bytes().hasRemaining()) {
        charged += cutter.charge(frame);
        cutter.step(frame);
      }
    }
    assertThat(cutter.blocks()).isEqualTo(source.digest().blocks()).isEqualTo(6 * 3 * 2);
    assertThat(charged).isEqualTo(store.charged);
  }

  @Property(tries = 20)
  void everyBlockArrivesOnceWhateverThePieces(@ForAll @IntRange(min = 1, max = 1 << 18) int most) {
    BlockStreamTest fresh = new BlockStreamTest();
    fresh.pushAll();
    Digest read = new Digest();
    Digest pushed = fresh.source.digest();

    fresh.store.readBack(read, most, 0);

    assertThat(read.matches(pushed)).as("%s of %s", read, pushed).isTrue();
  }

  @Test
  void aMissingByteIsNoticed() {
    pushAll();

    assertThatThrownBy(() -> store.readBack(new Digest(), 1000, 1))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void aMissingBlockIsNoticed() {
    pushAll();
    store.partitions.remove(0);
    Digest read = new Digest();

    store.readBack(read, 1000, 0);

    assertThat(read.matches(source.digest())).isFalse();
  }

  @Test
  void blocksOfAnotherPartitionAreNoticed() {
    pushAll();
    ByteArrayOutputStream one = store.partitions.get(1);
    ByteArrayOutputStream two = store.partitions.get(2);
    store.partitions.put(1, two);
    store.partitions.put(2, one);

    assertThatThrownBy(() -> store.readBack(new Digest(), 1000, 0))
        .hasMessageContaining("came as partition");
  }

  @Test
  void spoiltPayloadsAreNoticed() {
    pushAll();
    store.spoilPayloads();

    assertThatThrownBy(() -> store.readBack(new Digest(), 1000, 0))
        .hasMessageContaining("does not match its CRC");
  }

  /** A session that keeps what it is given. */
  private static final class Store implements ServerSession {
    private final Map<Integer, ByteArrayOutputStream> partitions = new TreeMap<>();
    private final Map<Integer, Integer> blocks = new TreeMap<>();
    private int current;
    private long charged;

    private void begin(ByteBuffer bytes, int offset) {
      current = BlockHeader.partition(bytes, offset);
      assertThat(BlockHeader.mapIndex(bytes, offset)).isBetween(0, PLAN.maps() - 1);
      charged += TransportLimits.charge(BlockHeader.storedLength(bytes, offset));
      blocks.merge(current, 1, Integer::sum);
    }

    private void keep(ByteBuffer bytes, int offset, int length) {
      byte[] copy = new byte[length];
      bytes.get(offset, copy);
      partitions.computeIfAbsent(current, p -> new ByteArrayOutputStream()).writeBytes(copy);
    }

    void readBack(Digest digest, int most, int cut) {
      StreamChecker checker = new StreamChecker(digest);
      SplittableRandom random = new SplittableRandom(most);
      partitions.forEach(
          (partition, out) -> {
            byte[] bytes = out.toByteArray();
            int end = bytes.length - cut;
            checker.begin(partition, MapRange.ALL);
            for (int at = 0; at < end; ) {
              int part = Math.min(end - at, 1 + random.nextInt(most));
              checker.piece(ByteBuffer.wrap(bytes, at, part));
              at += part;
            }
            checker.end(blocks.getOrDefault(partition, 0), bytes.length);
          });
    }

    void spoilPayloads() {
      partitions.replaceAll(
          (partition, out) -> {
            ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
            for (int at = 0; at < bytes.limit(); ) {
              int last = at + BlockHeader.LENGTH + BlockHeader.storedLength(bytes, at) - 1;
              bytes.put(last, (byte) ~bytes.get(last));
              at = last + 1;
            }
            ByteArrayOutputStream spoilt = new ByteArrayOutputStream();
            spoilt.writeBytes(bytes.array());
            return spoilt;
          });
    }

    @Override
    public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
      assertThat(crcMatches).isTrue();
      begin(bytes, offset);
      keep(bytes, offset, BlockHeader.LENGTH + BlockHeader.storedLength(bytes, offset));
    }

    @Override
    public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
      begin(header, offset);
      keep(header, offset, BlockHeader.LENGTH);
    }

    @Override
    public void blockPart(ByteBuffer bytes, int offset, int length) {
      keep(bytes, offset, length);
    }

    @Override
    public void blockEnd(boolean crcMatches) {
      assertThat(crcMatches).isTrue();
    }

    @Override
    public void open(
        int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {}

    @Override
    public void release(int handle) {}

    @Override
    public void want(long bytes) {}

    @Override
    public void creditReturned(long bytes) {}

    @Override
    public void fetch(FetchRequest request) {}

    @Override
    public void fetchCredit(int stream, long bytes) {}

    @Override
    public void fetchCancel(int stream) {}

    @Override
    public void damaged(int stream, DamagedBlock block) {}

    @Override
    public void writable() {}

    @Override
    public void readComplete() {}

    @Override
    public void closed() {}
  }
}

package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.InventoryEntries;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What a core says that it has whole, after its memory was lost, against what can be read there.
 */
class InventoryTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int MAPS = 60;
  private static final int PARTITIONS = 9;

  private final CoreFixture fixture = new CoreFixture(3, 4 * CoreFixture.MIB, 2);
  private final TestPeer peer = fixture.connect();

  @Test
  void namesTheMapsThatCanBeReadWholeAfterACrash() {
    Map<Integer, Set<TestBlock>> pushed = pushAll();

    TestPeer later = new TestPeer(fixture.restarted(), fixture.world.executor());
    int handle = later.open(SHUFFLE, 5);
    Set<TestBlock> left = new HashSet<>(fixture.fetchAll(later, handle, PARTITIONS).blocks());
    Map<Integer, Integer> expected = new HashMap<>();
    pushed.forEach(
        (map, blocks) -> {
          if (left.containsAll(blocks)) {
            expected.put(map, partitions(blocks));
          }
        });
    assertThat(expected).as("some reached disks, some did not").hasSizeBetween(5, MAPS - 5);

    Map<Integer, Integer> told = entries(ask(later, handle, 0));
    told.entrySet().removeIf(entry -> entry.getValue() < partitionsOf(pushed, entry.getKey()));
    assertThat(told).isEqualTo(expected);
  }

  @Test
  void beginsWithTheMapThatIsAskedFor() {
    pushAll();
    int handle = peer.open(SHUFFLE, 5);
    Map<Integer, Integer> all = entries(ask(peer, handle, 0));
    Map<Integer, Integer> some = entries(ask(peer, handle, 10));
    all.keySet().removeIf(map -> map < 10);
    assertThat(some).isNotEmpty().isEqualTo(all);
  }

  @Test
  void answersOneAtATime() {
    pushAll();
    int handle = peer.open(SHUFFLE, 5);
    TestPeer.Stream first = peer.inventory(handle, 0);
    TestPeer.Stream second = peer.inventory(handle, 0);
    assertThat(second.failure).isEqualTo(ErrorCode.TOO_MANY_STREAMS);
    fixture.finish(peer);
    assertThat(first.ended).isTrue();
    assertThat(ask(peer, handle, 0).ended).as("the next").isTrue();
  }

  /** A client whose patience is over asks about the next shuffle, however long this one takes. */
  @Test
  void whoHasLostPatienceMayAskAgain() {
    pushAll();
    int handle = peer.open(SHUFFLE, 5);
    TestPeer.Stream first = peer.inventory(handle, 0);
    peer.cancel(first);
    TestPeer.Stream second = peer.inventory(handle, 0);
    fixture.finish(peer);
    assertThat(second.failure).isNull();
    assertThat(second.ended).isTrue();
    assertThat(first.ended).as("nobody wants it").isFalse();
  }

  /** Nobody's shuffle is looked through who is gone: others wait behind that. */
  @Test
  void whatNobodyWaitsForAnyMoreIsNotLookedThrough() {
    pushAll();
    List<TestPeer> gone = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      TestPeer asking = fixture.connect();
      asking.inventory(asking.open(SHUFFLE, 5), 0);
      gone.add(asking);
    }
    gone.forEach(TestPeer::close);
    fixture.world.settle();
    assertThat(fixture.stores.get(0).tallies()).as("of the one that was under way").isEqualTo(1);
  }

  @Test
  void knowsNothingOfAShuffleThatIsNotHere() {
    int handle = peer.open(CoreFixture.shuffle(2), 5);
    assertThat(peer.inventory(handle, 0).failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
  }

  /** Of each application one answer is in memory: whoever does not take it holds up its own. */
  @Test
  void theNextOfAnApplicationIsAnsweredWhenTheReaderThatStoodStillIsGone() {
    pushAll();
    TestPeer slow = fixture.connect();
    slow.reads = false;
    slow.inventory(slow.open(SHUFFLE, 5), 0);
    fixture.finish(slow);
    assertThat(slow.unsent).isNotEmpty();
    TestPeer.Stream waits = peer.inventory(peer.open(SHUFFLE, 5), 0);
    fixture.finish(peer);
    assertThat(waits.ended).isFalse();

    slow.close();
    fixture.finish(peer);
    assertThat(waits.ended).isTrue();
  }

  /** Maps one after the other, three blocks in some partitions and one in others. */
  private Map<Integer, Set<TestBlock>> pushAll() {
    int handle = peer.open(SHUFFLE, 5);
    Map<Integer, Set<TestBlock>> pushed = new HashMap<>();
    for (int map = 0; map < MAPS; map++) {
      for (int p = map % 2; p < PARTITIONS; p++) {
        int blocks = (map + p) % 4 == 0 ? 3 : 1;
        for (int sequence = 0; sequence < blocks; sequence++) {
          TestBlock block = new TestBlock(p, map, 1000 + map, sequence, 12_000 + 50 * p);
          pushed.computeIfAbsent(map, key -> new HashSet<>()).add(block);
          fixture.push(peer, handle, block, bytes(block, sequence == blocks - 1));
        }
      }
      fixture.finish(peer);
    }
    assertThat(peer.nacked).isEmpty();
    return pushed;
  }

  private static ByteBuffer bytes(TestBlock block, boolean last) {
    ByteBuffer bytes = block.bytes();
    BlockHeader.write(
        bytes,
        0,
        last ? BlockHeader.LAST : 0,
        block.partition(),
        block.map(),
        block.attempt(),
        block.sequence(),
        block.stored(),
        block.stored(),
        1);
    BlockHeader.seal(bytes, 0, new Crc32c());
    return bytes;
  }

  private static int partitionsOf(Map<Integer, Set<TestBlock>> pushed, int map) {
    return partitions(pushed.getOrDefault(map, Set.of()));
  }

  private static int partitions(Set<TestBlock> blocks) {
    return (int) blocks.stream().map(TestBlock::partition).distinct().count();
  }

  private TestPeer.Stream ask(TestPeer asking, int handle, int firstMap) {
    TestPeer.Stream stream = asking.inventory(handle, firstMap);
    fixture.finish(asking);
    return stream;
  }

  /** Partitions by map. */
  private static Map<Integer, Integer> entries(TestPeer.Stream stream) {
    assertThat(stream.ended).isTrue();
    Map<Integer, Integer> entries = new HashMap<>();
    for (ByteArrayOutputStream piece : stream.byPartition.values()) {
      ByteBuffer bytes = ByteBuffer.wrap(piece.toByteArray());
      for (int at = 0; at < bytes.limit(); at += InventoryEntries.BYTES) {
        int map = InventoryEntries.map(bytes, at);
        assertThat(InventoryEntries.attempt(bytes, at)).isEqualTo(1000 + map);
        entries.put(map, InventoryEntries.partitions(bytes, at));
      }
    }
    assertThat(stream.saidBlocks).isEqualTo(entries.size());
    assertThat(stream.saidBytes).isEqualTo(stream.bytes());
    return entries;
  }
}

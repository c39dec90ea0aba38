package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Partitions that a {@link LoopClient} asks for, and what comes of it. */
final class LoopFetch {
  /** Credit for more than there ever is. */
  static final long AMPLE = 1L << 30;

  private final LoopClient reader;
  private final ShuffleKey shuffle;
  private final int first;
  private final int end;
  private int firstMap;
  private int endMap = Integer.MAX_VALUE;
  private CompletableFuture<TestPeer.Stream> stream = new CompletableFuture<>();

  LoopFetch(LoopClient reader, ShuffleKey shuffle, int first, int end) {
    this.reader = reader;
    this.shuffle = shuffle;
    this.first = first;
    this.end = end;
  }

  LoopFetch ofMaps(int from, int to) {
    firstMap = from;
    endMap = to;
    return this;
  }

  /** Asks, once; goes on when the credit is used up with {@link #goOn}. */
  LoopFetch begin(long credit) {
    stream =
        CompletableFuture.supplyAsync(
            () -> {
              TestPeer peer = reader.peer();
              int handle = peer.open(shuffle, LoopClient.INCARNATION);
              TestPeer.Stream begun = peer.fetch(handle, first, end, firstMap, endMap, credit);
              peer.session.readComplete();
              return begun;
            },
            reader.loop());
    return this;
  }

  void awaitBegun() throws Exception {
    LoopClient.get(LoopClient.get(stream).begun);
  }

  void goOn() {
    reader
        .loop()
        .execute(
            () -> {
              reader.peer().addCredit(stream.join(), AMPLE);
              reader.peer().session.readComplete();
            });
  }

  TestPeer.Stream awaitEnd() throws Exception {
    TestPeer.Stream ended = LoopClient.get(stream);
    LoopClient.get(ended.over);
    return ended;
  }

  /** All that came; fails unless it came intact and ended well. */
  List<TestBlock> blocks() throws Exception {
    TestPeer.Stream over = awaitEnd();
    assertThat(over.failure).as(over.problem).isNull();
    assertThat(over.ended).isTrue();
    assertIntact(over);
    List<TestBlock> blocks = over.blocks();
    assertThat(over.saidBlocks).isEqualTo(blocks.size());
    assertThat(over.saidBytes).isEqualTo(over.bytes());
    return blocks;
  }

  /** Fails unless all came that is wanted, or the reader was told that its shuffle is gone. */
  void assertWholeOrRemoved(List<TestBlock> pushed) throws Exception {
    TestPeer.Stream over = awaitEnd();
    if (over.failure == null) {
      assertThat(blocks()).containsExactlyInAnyOrderElementsOf(wantedOf(pushed));
      return;
    }
    assertThat(over.failure).as(over.problem).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(over.ended).isFalse();
    assertIntact(over);
    assertThat(over.wholeBlocks()).doesNotHaveDuplicates().isSubsetOf(wantedOf(pushed));
  }

  /** Those that are of its partitions, of all maps. */
  List<TestBlock> wantedOf(List<TestBlock> pushed) {
    return pushed.stream()
        .filter(block -> block.partition() >= first && block.partition() < end)
        .toList();
  }

  /** Compares each byte of the blocks that came whole with what was pushed. */
  private static void assertIntact(TestPeer.Stream stream) {
    for (ByteArrayOutputStream partition : stream.byPartition.values()) {
      ByteBuffer came = ByteBuffer.wrap(partition.toByteArray());
      int at = 0;
      for (TestBlock block : TestBlock.parseWhole(came)) {
        assertThat(came.slice(at, block.length())).as("%s", block).isEqualTo(block.bytes());
        at += block.length();
      }
    }
  }
}

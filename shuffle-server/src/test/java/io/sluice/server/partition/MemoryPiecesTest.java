package io.sluice.server.partition;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryPiecesTest {
  private static final int MIB = 1 << 20;

  private final ChunkArena arena = new ChunkArena(new MemoryBudget(MIB));
  private final LeaseBudget leases = LeaseBudget.ofArena(MIB);
  private final LeaseBudget.Line reader =
      leases.line("application", leases.queue(() -> {}), () -> {});
  private final MemoryPieces pieces = new MemoryPieces();

  private Chunk chunk(int bytes, byte with) {
    try (MemoryReservation paid = requireNonNull(arena.budget().tryReserve(bytes))) {
      Chunk chunk = arena.allocate(paid, bytes);
      chunk.put(0, filled(chunk.capacity(), with), 0, chunk.capacity());
      return chunk;
    }
  }

  private static ByteBuffer filled(int bytes, byte with) {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    for (int i = 0; i < bytes; i++) {
      buffer.put(i, with);
    }
    return buffer;
  }

  @Test
  void rangesAndBuffersAreTheSameBytes() {
    Chunk first = chunk(4096, (byte) 1);
    Chunk second = chunk(16_384, (byte) 2);
    MemoryPiece piece = pieces.take(reader);
    piece.add(first, 100, 50);
    piece.add(first, 150, 25); // goes on where the one before ends
    piece.add(second, 7, 9);
    piece.add(first, 0, 3);
    assertThat(piece.length()).isEqualTo(87);
    assertThat(piece.ranges()).isEqualTo(3);
    ByteBuffer[] buffers = piece.buffers();
    assertThat(buffers).hasSize(3);
    for (int range = 0; range < 3; range++) {
      assertThat(piece.length(range)).isEqualTo(buffers[range].remaining());
      for (int i = 0; i < piece.length(range); i++) {
        assertThat(piece.memory(range).get(piece.start(range) + i))
            .isEqualTo(buffers[range].get(i))
            .isEqualTo((byte) (range == 1 ? 2 : 1));
      }
    }
    piece.close();
    first.release();
    second.release();
  }

  @Test
  void chunksStayUntilThePieceIsClosed() {
    Chunk chunk = chunk(4096, (byte) 1);
    MemoryPiece piece = pieces.take(reader);
    piece.add(chunk, 0, 10);
    chunk.release();
    assertThat(arena.chunkBytes()).isEqualTo(4096);
    assertThat(leases.leased()).isEqualTo(4096);
    piece.close();
    assertThat(arena.chunkBytes()).isZero();
    assertThat(leases.leased()).isZero();
    assertThatThrownBy(piece::close).isInstanceOf(IllegalStateException.class);
    assertThat(arena.chunkBytes()).isZero();
  }

  /** An eighth of what an application has, which is a mebibyte; or one chunk, however large. */
  @Test
  void aPieceTakesNoChunkMoreThanItMayKeep() {
    int half = 64 * 1024;
    Chunk first = chunk(half, (byte) 1);
    Chunk second = chunk(half, (byte) 2);
    Chunk small = chunk(4096, (byte) 3);
    Chunk large = chunk(4 * half, (byte) 4);
    MemoryPiece piece = pieces.take(reader);
    for (int at = 0; at < 1000; at += 100) {
      assertThat(piece.add(first, at, 10)).isTrue();
    }
    assertThat(piece.add(second, 0, 10)).isTrue();
    assertThat(piece.full()).isFalse();
    assertThat(piece.add(small, 0, 10)).isFalse();
    assertThat(piece.full()).isTrue();
    assertThat(piece.ranges()).isEqualTo(11);
    piece.enterQueue();
    MemoryPiece alone = pieces.take(reader);
    assertThat(alone.add(large, 0, 10)).isTrue();
    assertThat(leases.leased()).isEqualTo(6L * half);
    alone.enterQueue();
    assertThat(reader.queue().isFull()).isTrue();
    alone.close();
    assertThat(reader.queue().isFull()).isFalse();
    piece.close();
    List.of(first, second, small, large).forEach(Chunk::release);
    assertThat(arena.chunkBytes()).isZero();
  }

  @Test
  void oneThatWasClosedIsFilledAgain() {
    Chunk chunk = chunk(4096, (byte) 1);
    Set<MemoryPiece> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 100; i++) {
      MemoryPiece piece = pieces.take(reader);
      seen.add(piece);
      assertThat(piece.ranges()).isZero();
      assertThat(piece.length()).isZero();
      piece.add(chunk, i, 1);
      piece.close();
    }
    assertThat(seen).hasSize(1);
    chunk.release();
    assertThat(arena.chunkBytes()).isZero();
  }

  @Test
  void nobodyGetsAPieceThatAnotherHas() {
    List<MemoryPiece> open = new ArrayList<>();
    Set<MemoryPiece> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    int more = MemoryPieces.KEPT_MAX + 5;
    for (int round = 0; round < 2; round++) {
      seen.clear();
      for (int i = 0; i < more; i++) {
        MemoryPiece piece = pieces.take(reader);
        assertThat(seen.add(piece)).isTrue();
        open.add(piece);
      }
      open.forEach(MemoryPiece::close);
      open.clear();
    }
  }
}

package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Scratch buffers that are known, so that it is seen whether each came back, and once. */
final class LentBuffers {
  private static final int COUNT = 32;

  private final ScratchBuffers buffers;
  private final Set<ByteBuffer> known = Collections.newSetFromMap(new IdentityHashMap<>());

  LentBuffers(int blockBytes) {
    buffers = new ScratchBuffers(blockBytes, COUNT);
    List<ByteBuffer> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      all.add(buffers.borrow());
    }
    all.forEach(buffers::giveBack);
    known.addAll(all);
  }

  ScratchBuffers buffers() {
    return buffers;
  }

  /** How many are lent now; fails if one was given back twice. */
  int lent() {
    Set<ByteBuffer> idle = Collections.newSetFromMap(new IdentityHashMap<>());
    List<ByteBuffer> borrowed = new ArrayList<>();
    for (ByteBuffer next = buffers.borrow(); known.contains(next); next = buffers.borrow()) {
      assertThat(idle.add(next)).as("given back once").isTrue();
      borrowed.add(next);
    }
    borrowed.forEach(buffers::giveBack);
    return COUNT - borrowed.size();
  }
}

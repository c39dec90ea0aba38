package io.sluice.server.cache;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Against a naive map of pages. */
class WindowMemoryPropertyTest {
  private static final int PAGE = 4096;
  private static final int WINDOW = 16 * PAGE;
  private static final int CAPACITY = 5 * WINDOW;

  @Property
  void blocksNeverOverlapAndAllComeBack(
      @ForAll @Size(max = 200) List<@IntRange(min = -WINDOW, max = WINDOW) Integer> steps) {
    WindowMemory memory = new WindowMemory(WINDOW, CAPACITY);
    BitSet taken = new BitSet();
    Map<Integer, Integer> blocks = new HashMap<>();
    for (int step : steps) {
      if (step > 0) {
        int offset = memory.allocate(step);
        if (offset >= 0) {
          mark(taken, offset, step);
          blocks.put(offset, step);
        } else if (blocks.isEmpty()) {
          throw new AssertionError("nothing is taken and yet there is no room");
        }
      } else if (!blocks.isEmpty()) {
        Iterator<Map.Entry<Integer, Integer>> any = blocks.entrySet().iterator();
        Map.Entry<Integer, Integer> block = any.next();
        any.remove();
        taken.clear(block.getKey() / PAGE, pagesEnd(block.getKey(), block.getValue()));
        memory.giveBack(block.getKey(), block.getValue());
      }
    }
    blocks.forEach(memory::giveBack);
    if (memory.used() != 0) {
      throw new AssertionError(memory.used() + " bytes are not back");
    }
    for (int i = 0; i < CAPACITY / WINDOW; i++) {
      if (memory.allocate(WINDOW) < 0) {
        throw new AssertionError("halves did not become whole again");
      }
    }
  }

  private static void mark(BitSet taken, int offset, int length) {
    int end = pagesEnd(offset, length);
    int overlap = taken.nextSetBit(offset / PAGE);
    if ((overlap >= 0 && overlap < end) || end > CAPACITY / PAGE || offset % PAGE != 0) {
      throw new AssertionError("block at " + offset + " of " + length + " is not free");
    }
    taken.set(offset / PAGE, end);
  }

  private static int pagesEnd(int offset, int length) {
    return (offset + length + PAGE - 1) / PAGE;
  }
}

package io.sluice.server.cache;

import io.sluice.server.disk.ReadOptions;
import io.sluice.server.disk.StepQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Any readers in any order, with bad places: right bytes or a failure, once, and nothing is left.
 */
class ReadCachePropertyTest {
  private static final int WINDOW = 64 << 10;
  private static final int UNITS = 12;

  @Property(tries = 300)
  void everyReadEndsOnceWithItsBytes(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int threads = random.nextInt(1, 4);
    int capacity = WINDOW * random.nextInt(threads + 1, threads + 5);
    StepQueue queue = new StepQueue();
    ReadCache cache =
        new ReadCache(
            new ReadOptions(threads, 1000, WINDOW, random.nextInt(4) * 4096, capacity),
            "disk",
            queue::read);
    int unit = 4096 * random.nextInt(2, 80);
    List<FakeSource> sources =
        List.of(new FakeSource(1, (long) UNITS * unit), new FakeSource(2, (long) UNITS * unit));
    List<FakeReader> readers = new ArrayList<>();
    boolean spoilt = false;
    for (int step = 0; step < 200; step++) {
      FakeSource source = sources.get(random.nextInt(2));
      int action = random.nextInt(20);
      if (action < 12) {
        int from = random.nextInt(unit);
        int length = Math.min(unit - from, 1 + random.nextInt(random.nextBoolean() ? 2000 : unit));
        long start = (long) random.nextInt(UNITS) * unit;
        long wantedEnd = start + from + length + random.nextInt(unit - from - length + 1);
        ReadRange range =
            new ReadRange(start + from, wantedEnd, start, start + unit, random.nextBoolean());
        boolean leases = random.nextBoolean();
        readers.add(
            leases
                ? FakeReader.lease(cache, source, range, length)
                : FakeReader.read(cache, source, range, length));
      } else if (action < 14 && !readers.isEmpty()) {
        giveBack(readers.get(random.nextInt(readers.size())));
      } else if (action < 19) {
        if (queue.reads() > 0) {
          queue.runRead();
        }
      } else {
        spoilt = true;
        long at = random.nextLong((long) UNITS * unit);
        source.spoil(at, at + random.nextInt(1, 5000));
      }
      check(cache, capacity, queue.reads() <= threads);
    }
    queue.runReads();
    for (FakeReader reader : readers) {
      if (reader.failure == null || !spoilt) {
        reader.assertRight();
      } else if (reader.ends != 1) {
        throw new AssertionError("ended " + reader.ends + " times");
      }
    }
    sources.forEach(source -> cache.forget(source.number()));
    readers.forEach(ReadCachePropertyTest::giveBack);
    check(cache, capacity, cache.activity().now().leasedBytes() == 0);
    boolean free = cache.activity().now().cachedBytes() == 0;
    check(cache, capacity, free && cache.activity().now().requests() == 0);
    check(cache, capacity, sources.stream().allMatch(source -> source.holds() == 0));
  }

  /** Unless it is still being read: then a window might come after it. */
  private static void giveBack(FakeReader reader) {
    if (reader.done()) {
      if (reader.failure == null) {
        reader.assertRight();
      }
      reader.target.giveBack();
    }
  }

  private static void check(ReadCache cache, int capacity, boolean holds) {
    if (!holds || cache.activity().now().cachedBytes() > capacity) {
      throw new AssertionError("out of bounds: " + cache.activity());
    }
  }
}

package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/**
 * A process that lives to be killed: opens a real store, checks everything that its {@link
 * FlushOracle} says must be there, says so on standard output, and then writes and removes without
 * end.
 *
 * <p>Arguments: directory, oracle file, seed, incarnation.
 */
public final class DyingServer {
  /** Small segments, so that a run rolls over many. */
  private static final DiskOptions OPTIONS = DiskOptions.ssd().withSizes(256 << 10, 2 << 20);

  private static final int WRITES_UNDER_WAY = 2;
  private static final int SHUFFLES_MAX = 12;
  private static final int REMOVE_ONE_IN = 40;
  private static final int MAPS_MAX = 5;
  private static final int LENGTH_MAX = 12_000;

  private final LocalSegmentStore store;
  private final StoreDriver driver;
  private final FlushOracle oracle;
  private final SplittableRandom random;

  private DyingServer(LocalSegmentStore store, FlushOracle oracle, SplittableRandom random) {
    this.store = store;
    this.driver = new StoreDriver(store);
    this.oracle = oracle;
    this.random = random;
  }

  public static void main(String[] args) throws Exception {
    FlushOracle oracle = FlushOracle.open(Path.of(args[1]));
    long incarnation = Long.parseLong(args[3]);
    LocalSegmentStore store =
        LocalSegmentStore.open(
            LocalDisk.open(Path.of(args[0])), OPTIONS, incarnation, Clock.system());
    DyingServer server =
        new DyingServer(store, oracle, new SplittableRandom(Long.parseLong(args[2])));
    System.out.println(server.check());
    server.writeUntilKilled((int) incarnation * 100_000);
  }

  /** Everything flushed is there, and everything there is right. Returns how much that was. */
  private Report check() {
    Map<ShuffleKey, List<Extent>> recovered = store.recovered();
    int unconfirmed = 0;
    int checked = 0;
    for (Map.Entry<ShuffleKey, List<Extent>> each : recovered.entrySet()) {
      int shuffle = each.getKey().shuffleId();
      Set<FlushOracle.Flushed> expected = oracle.of(shuffle);
      for (Extent extent : each.getValue()) {
        ByteBuffer bytes = driver.read(extent);
        int maps = extent.lastMap() + 1;
        int length = extent.length() / maps - BlockHeader.LENGTH;
        if (!bytes.equals(TestBlocks.extent(extent.partition(), maps, length))) {
          throw new AssertionError("wrong bytes in " + extent + " of shuffle " + shuffle);
        }
        checked++;
        unconfirmed += expected.contains(FlushOracle.Flushed.of(extent)) ? 0 : 1;
      }
    }
    recovered.forEach(this::checkTally);
    for (int shuffle : oracle.live()) {
      Set<FlushOracle.Flushed> missing = new HashSet<>(oracle.of(shuffle));
      for (Extent extent : recovered.getOrDefault(TestBlocks.shuffle(shuffle), List.of())) {
        missing.remove(FlushOracle.Flushed.of(extent));
      }
      if (!missing.isEmpty()) {
        throw new AssertionError("shuffle " + shuffle + " lost " + missing);
      }
    }
    return new Report(checked, unconfirmed, oracle.removed());
  }

  /** Every block is the only one of its map in its partition, so all maps are whole. */
  private void checkTally(ShuffleKey shuffle, List<Extent> extents) {
    Map<Integer, Integer> partitions = new TreeMap<>();
    for (Extent extent : extents) {
      for (int map = 0; map <= extent.lastMap(); map++) {
        partitions.merge(map, 1, Integer::sum);
      }
    }
    List<String> expected = new ArrayList<>();
    partitions.forEach((map, count) -> expected.add(map + "/" + (1000 + map) + ":" + count));
    List<String> told = driver.whole(shuffle);
    if (!told.equals(expected)) {
      throw new AssertionError(shuffle + " has " + expected + ", but tells of " + told);
    }
  }

  /**
   * @param checked extents read and found right
   * @param unconfirmed of these, written by a process that died before it heard of it
   * @param removed shuffles removed so far
   */
  record Report(int checked, int unconfirmed, int removed) {
    static Report parse(String line) {
      String[] parts = line.replaceAll("[^0-9,]", "").split(",");
      return new Report(
          Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }
  }

  private void writeUntilKilled(int firstNewShuffle) throws InterruptedException {
    List<Integer> shuffles = new ArrayList<>(oracle.live());
    for (ShuffleKey each : store.recovered().keySet()) {
      if (!oracle.live().contains(each.shuffleId())) {
        store.remove(each);
      }
    }
    Semaphore underWay = new Semaphore(WRITES_UNDER_WAY);
    int next = firstNewShuffle;
    while (true) {
      if (shuffles.size() < SHUFFLES_MAX) {
        shuffles.add(next++);
      }
      int shuffle = shuffles.get(random.nextInt(shuffles.size()));
      if (random.nextInt(REMOVE_ONE_IN) == 0) {
        shuffles.remove((Integer) shuffle);
        oracle.removing(shuffle);
        store.remove(TestBlocks.shuffle(shuffle));
      } else {
        underWay.acquire();
        write(shuffle, underWay);
      }
    }
  }

  private void write(int shuffle, Semaphore underWay) {
    UnitBuilder unit = driver.stage(TestBlocks.shuffle(shuffle));
    int partition = random.nextInt(100);
    int extents = 1 + random.nextInt(8);
    for (int i = 0; i < extents; i++) {
      int maps = 1 + random.nextInt(MAPS_MAX);
      int length = 1 + random.nextInt(LENGTH_MAX);
      if (unit.remaining() > maps * (length + 256)) {
        TestBlocks.stage(unit, partition, maps, length);
      }
      partition += 1 + random.nextInt(10);
    }
    store.write(
        unit,
        (written, failure) -> {
          if (written != null) {
            oracle.flushed(shuffle, written);
          } else if (!(failure instanceof SluiceException known)
              || known.code() != ErrorCode.UNKNOWN_SHUFFLE) {
            Runtime.getRuntime().halt(3);
          }
          underWay.release();
        });
  }
}

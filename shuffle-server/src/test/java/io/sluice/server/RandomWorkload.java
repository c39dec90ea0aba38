package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.TransportLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Clients that do at random whatever clients may do, beside a model of what the server must have:
 * the blocks it acknowledged, each once, and no byte of memory unaccounted for.
 */
final class RandomWorkload {
  private static final int PARTITIONS = 12;
  private static final int MAPS = 9;
  private static final int SHUFFLES = 3;
  private static final ShuffleKey NOWHERE = CoreFixture.shuffle(-1);

  final CoreFixture fixture;
  private final SplittableRandom random;
  private final List<Client> clients = new ArrayList<>();
  private final ShuffleKey[] shuffles = new ShuffleKey[SHUFFLES];
  private final Map<ShuffleKey, Set<TestBlock>> acked = new HashMap<>();
  private final Set<ShuffleKey> removed = new HashSet<>();
  // Of clients that have gone: what they never got an answer for.
  private final Map<TestBlock, ShuffleKey> unanswered = new HashMap<>();
  private final List<Watched> watched = new ArrayList<>();
  private int generations;
  private int nextSequence;

  RandomWorkload(long seed, int disks) {
    random = new SplittableRandom(seed);
    fixture = new CoreFixture(seed, 4 * CoreFixture.MIB, disks);
    for (int i = 0; i < SHUFFLES; i++) {
      renew(i);
    }
    for (int i = 0; i < 3; i++) {
      clients.add(new Client());
    }
  }

  private void renew(int slot) {
    shuffles[slot] = CoreFixture.shuffle(100 + generations++);
    acked.put(shuffles[slot], new HashSet<>());
  }

  private Set<TestBlock> acked(ShuffleKey shuffle) {
    return Objects.requireNonNull(acked.get(shuffle));
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      act();
      for (int run = random.nextInt(4); run > 0; run--) {
        fixture.world.step();
      }
      replaceClosed();
      check();
    }
  }

  private void act() {
    int slot = random.nextInt(clients.size());
    Client client = clients.get(slot);
    int choice = random.nextInt(1000);
    if (choice < 600) {
      client.push();
    } else if (choice < 800) {
      client.peer.session.readComplete();
      client.learn();
    } else if (choice < 860) {
      client.fetch();
    } else if (choice < 900) {
      client.feed();
    } else if (choice < 920) {
      client.stall();
    } else if (choice < 940) {
      client.cancel();
    } else if (choice < 960) {
      fixture.world.advance(random.nextLong(2_000_000_000L));
    } else if (choice < 970) {
      breakADisk();
    } else if (choice < 985) {
      client.returnCredit();
    } else if (choice < 995) {
      client.close();
      clients.set(slot, new Client());
    } else {
      removeShuffle(random.nextInt(SHUFFLES));
    }
  }

  /** Clients that ignored for too long that others wait for their credit. */
  private void replaceClosed() {
    for (int slot = 0; slot < clients.size(); slot++) {
      ErrorCode why = clients.get(slot).peer.closedFor;
      if (why != null) {
        assertThat(why).isEqualTo(ErrorCode.PEER_NOT_READING);
        clients.get(slot).gone();
        clients.set(slot, new Client());
      }
    }
  }

  private void breakADisk() {
    if (!fixture.stores.isEmpty()) {
      fixture.stores.get(random.nextInt(fixture.stores.size())).writesToFail = random.nextInt(3);
    }
  }

  private void removeShuffle(int slot) {
    fixture.core.shuffles().remove(shuffles[slot]);
    removed.add(shuffles[slot]);
    renew(slot);
  }

  /** What must hold at every moment. */
  private void check() {
    long promised =
        fixture.core.arena().budget().capacity()
            - fixture.core.arena().budget().free()
            - fixture.core.arena().chunkBytes();
    long credit = clients.stream().mapToLong(client -> client.peer.credit).sum();
    assertThat(credit).as("credit out with clients is backed").isLessThanOrEqualTo(promised);
    assertThat(fixture.core.arena().slabBytes())
        .isLessThanOrEqualTo(fixture.core.arena().budget().capacity());
  }

  /** Lets everything come to rest, then compares all there is with the model. */
  void finish() {
    for (MemoryStore store : fixture.stores) {
      store.writesToFail = 0;
    }
    for (Client client : clients) {
      client.finish();
    }
    fixture.world.settle();
    replaceClosed();
    clients.forEach(Client::learn);
    watched.forEach(Watched::check);
    TestPeer reader = fixture.connect();
    for (ShuffleKey shuffle : shuffles) {
      Set<TestBlock> expected = acked(shuffle);
      TestPeer.Stream all = fixture.fetchAll(reader, reader.open(shuffle, 5), PARTITIONS);
      if (all.failure == ErrorCode.UNKNOWN_SHUFFLE) {
        assertThat(expected).isEmpty();
      } else {
        assertThat(all.failure).isNull();
        List<TestBlock> blocks = all.blocks();
        assertThat(blocks).doesNotHaveDuplicates().containsAll(expected);
        // The rest was stored when its client went, and could not be answered any more.
        assertThat(blocks)
            .allMatch(
                block ->
                    expected.contains(block)
                        || unanswered.getOrDefault(block, NOWHERE).equals(shuffle));
        assertThat(all.saidBlocks).isEqualTo(blocks.size());
      }
      fixture.core.shuffles().remove(shuffle);
    }
    reader.close();
    clients.forEach(Client::close);
    fixture.world.settle();
    assertNothingLeft();
  }

  private void assertNothingLeft() {
    assertThat(fixture.core.arena().chunkBytes()).as("chunks in use").isZero();
    assertThat(fixture.core.arena().budget().free())
        .as("all but the seeds is free")
        .isEqualTo(
            fixture.core.arena().budget().capacity()
                - fixture.core.credit().limits().reserveBytes());
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
    assertThat(fixture.core.quotas().used()).as("bytes on some quota").isZero();
    for (MemoryStore store : fixture.stores) {
      assertThat(store.segments()).as("segments on " + store.name()).isZero();
      assertThat(store.staged()).as("units staged on " + store.name()).isZero();
    }
    assertThat(fixture.core.stats().connections()).isZero();
  }

  /** A client and what it knows. */
  private final class Client {
    final TestPeer peer = fixture.connect();
    private final Map<ShuffleKey, Integer> handles = new HashMap<>();
    private final Map<TestBlock, ShuffleKey> homes = new HashMap<>();
    private int learned;
    private boolean wants;
    private @Nullable Watched last;

    private int handle(ShuffleKey shuffle) {
      return handles.computeIfAbsent(shuffle, key -> peer.open(key, 5));
    }

    void push() {
      ShuffleKey shuffle = shuffles[random.nextInt(SHUFFLES)];
      int stored =
          random.nextInt(10) == 0 ? random.nextInt(CoreFixture.MAX_BLOCK) : random.nextInt(9000);
      int map = random.nextInt(MAPS);
      TestBlock block =
          new TestBlock(
              random.nextInt(PARTITIONS), map, 50 + random.nextInt(2), nextSequence++, stored);
      homes.put(block, shuffle);
      boolean sent =
          random.nextInt(3) == 0
              ? peer.pushInParts(handle(shuffle), block, 1 + random.nextInt(70_000))
              : peer.push(handle(shuffle), block);
      if (!sent && !wants) {
        wants = true;
        peer.session.want(TransportLimits.charge(block.stored()) + random.nextInt(500_000));
      }
    }

    /** Takes note of answers. */
    void learn() {
      for (; learned < peer.acked.size(); learned++) {
        TestBlock block = peer.acked.get(learned);
        acked(Objects.requireNonNull(homes.get(block))).add(block);
      }
      for (Map.Entry<TestBlock, ErrorCode> refusal : peer.nacked.entrySet()) {
        assertThat(refusal.getValue()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
        assertThat(removed).contains(homes.get(refusal.getKey()));
      }
      if (wants && (peer.granted > 0 || !peer.refusals.isEmpty())) {
        wants = false;
        peer.granted = 0;
        peer.refusals.clear();
      }
    }

    void fetch() {
      ShuffleKey shuffle = shuffles[random.nextInt(SHUFFLES)];
      int first = random.nextInt(PARTITIONS);
      int end = first + 1 + random.nextInt(PARTITIONS - first);
      boolean allMaps = random.nextBoolean();
      int firstMap = allMaps ? 0 : random.nextInt(MAPS);
      int endMap = allMaps ? Integer.MAX_VALUE : firstMap + 1 + random.nextInt(MAPS - firstMap);
      Set<TestBlock> atLeast = new HashSet<>();
      for (TestBlock block : acked(shuffle)) {
        if (block.partition() >= first
            && block.partition() < end
            && block.map() >= firstMap
            && block.map() < endMap) {
          atLeast.add(block);
        }
      }
      TestPeer.Stream stream =
          peer.fetch(handle(shuffle), first, end, firstMap, endMap, random.nextLong(300_000));
      last = new Watched(shuffle, stream, atLeast);
      watched.add(last);
    }

    void feed() {
      if (last != null) {
        peer.addCredit(last.stream, random.nextLong(400_000));
      }
    }

    void cancel() {
      if (last != null && random.nextBoolean()) {
        peer.cancel(last.stream);
        last = null;
      }
    }

    void stall() {
      peer.reads = !peer.reads;
      if (peer.reads) {
        peer.drain();
      }
    }

    void returnCredit() {
      if (peer.credit > 0) {
        long bytes = TransportLimits.CREDIT_UNIT * random.nextLong(1 + peer.credit / 4096);
        if (bytes > 0) {
          peer.credit -= bytes;
          peer.session.creditReturned(bytes);
        }
      }
    }

    /** Reads everything that is still coming. */
    void finish() {
      peer.reads = true;
      peer.drain();
      peer.session.readComplete();
      for (TestPeer.Stream stream : peer.streams.values()) {
        if (!stream.cancelled) {
          peer.addCredit(stream, 1L << 30);
        }
      }
      peer.session.readComplete();
      fixture.world.settle();
      assertThat(peer.closedFor != null || peer.pending.isEmpty()).isTrue();
    }

    void close() {
      if (random.nextBoolean() && peer.credit > 8192) {
        TestBlock half = new TestBlock(0, 0, 0, nextSequence++, 4000);
        peer.begin(handle(shuffles[0]), half);
        peer.pending.values().remove(half);
      }
      gone();
    }

    void gone() {
      learn();
      peer.pending.values().forEach(block -> unanswered.put(block, homes.get(block)));
      peer.close();
      peer.streams.values().forEach(stream -> stream.cancelled = true);
    }
  }

  /** A fetch and what it must at least return if it ends well. */
  private final class Watched {
    private final ShuffleKey shuffle;
    private final TestPeer.Stream stream;
    private final Set<TestBlock> atLeast;

    Watched(ShuffleKey shuffle, TestPeer.Stream stream, Set<TestBlock> atLeast) {
      this.shuffle = shuffle;
      this.stream = stream;
      this.atLeast = atLeast;
    }

    void check() {
      if (stream.cancelled) {
        return;
      }
      if (stream.failure != null) {
        assertThat(stream.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
        assertThat(removed.contains(shuffle) || atLeast.isEmpty()).as(stream.problem).isTrue();
        return;
      }
      assertThat(stream.ended).isTrue();
      List<TestBlock> blocks = stream.blocks();
      assertThat(blocks).doesNotHaveDuplicates().containsAll(atLeast);
      assertThat(stream.saidBlocks).isEqualTo(blocks.size());
      assertThat(stream.saidBytes).isEqualTo(stream.bytes());
    }
  }
}

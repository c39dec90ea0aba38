package io.sluice.transport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.transport.ConnectionCount.Newcomer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConnectionCountTest {
  private static final int MOST = 100;
  private static final InetAddress ONE = address(1);
  private static final InetAddress OTHER = address(2);

  private final ConnectionCount count = new ConnectionCount(MOST);
  private final List<Integer> turns = new ArrayList<>();
  private int ports;

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private @Nullable Newcomer from(InetAddress address, ConnectionCount in) {
    int port = 1000 + ports++;
    return in.newcomer(new InetSocketAddress(address, port), () -> turns.add(port - 1000));
  }

  private Newcomer from(InetAddress address) {
    return requireNonNull(from(address, count));
  }

  /** As many as begin at once, each with a place, and one that does not. */
  private List<Newcomer> silent(InetAddress address) {
    List<Newcomer> begun = new ArrayList<>();
    Newcomer next = from(address);
    while (next.beginsAtOnce()) {
      assertThat(next.takePlace()).isTrue();
      begun.add(next);
      next = from(address);
    }
    return begun;
  }

  private Newcomer letIn(ConnectionCount in) {
    Newcomer newcomer = requireNonNull(from(ONE, in));
    assertThat(newcomer.takePlace()).isTrue();
    newcomer.letIn();
    return newcomer;
  }

  @Test
  void thoseBeingTurnedAwayTakeNoPlaceThatBecomesFree() {
    ConnectionCount two = new ConnectionCount(2);
    Newcomer first = letIn(two);
    letIn(two);
    assertThat(requireNonNull(from(ONE, two)).takePlace()).isFalse();
    first.gone();
    first.gone();
    assertThat(requireNonNull(from(OTHER, two)).takePlace()).isTrue();
    assertThat(requireNonNull(from(OTHER, two)).takePlace()).isFalse();
  }

  @Test
  void asManyAsAreServedAreToldThatTheyAreTooMany() {
    ConnectionCount two = new ConnectionCount(2);
    letIn(two);
    letIn(two);
    Newcomer third = requireNonNull(from(ONE, two));
    assertThat(third.takePlace()).isFalse();
    assertThat(two.isFull()).isFalse();
    assertThat(requireNonNull(from(ONE, two)).takePlace()).isFalse();
    assertThat(two.isFull()).isTrue();
    assertThat(from(OTHER, two)).isNull();
    third.gone();
    assertThat(two.isFull()).isFalse();
  }

  @Test
  void oneThatIsShutTakesNobody() {
    ConnectionCount shut = ConnectionCount.shut(1);
    assertThat(from(ONE, shut)).isNull();
    shut.open();
    letIn(shut);
  }

  @Test
  void oneAddressThatSaysNothingHasHalfOfWhatOthersLeave() {
    for (int i = 0; i < 20; i++) {
      letIn(count);
    }
    assertThat(silent(ONE)).hasSize(40);
    assertThat(silent(OTHER)).hasSize(20);
    assertThat(silent(address(3))).hasSize(10);
  }

  /** Such as HTTP/2 connections without a call. */
  @Test
  void newcomersWithoutAPlaceCountAsIfTheyHadOne() {
    for (int i = 0; i < MOST / 2; i++) {
      assertThat(from(ONE).beginsAtOnce()).isTrue();
    }
    assertThat(from(ONE).beginsAtOnce()).isFalse();
    assertThat(silent(OTHER)).hasSize(MOST / 4);
  }

  @Test
  void theLineOfOneAddressIsBoundedToo() {
    silent(ONE);
    for (int i = 1; i < MOST / 2; i++) {
      assertThat(from(ONE, count)).isNotNull();
    }
    assertThat(from(ONE, count)).isNull();
    assertThat(count.inLine()).isEqualTo(MOST / 2);
    silent(OTHER);
    assertThat(from(OTHER, count)).isNotNull();
    assertThat(turns).isEmpty();
  }

  @Test
  void whoWaitsBeginsInTurnWhenOthersOfItsAddressGoOn() {
    List<Newcomer> begun = silent(ONE);
    Newcomer second = from(ONE);
    Newcomer third = from(ONE);
    Newcomer fourth = from(ONE);
    assertThat(second.takePlace()).as("out of turn").isFalse();
    third.gone();
    begun.get(0).letIn();
    assertThat(turns).containsExactly(50);
    begun.get(1).gone();
    assertThat(turns).containsExactly(50, 51);
    assertThat(second.takePlace()).isTrue();
    begun.get(1).gone();
    begun.get(0).gone();
    assertThat(turns).as("it was let in before").containsExactly(50, 51);
    begun.get(2).gone();
    assertThat(turns).containsExactly(50, 51, 53);
    assertThat(fourth.takePlace()).isTrue();
  }

  /** Half of what was free is an address's; when more is free, that is more. */
  @Test
  void aLineMovesWhenAnotherAddressLeavesPlacesFree() {
    List<Newcomer> in = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      in.add(letIn(count));
    }
    List<Newcomer> begun = silent(OTHER);
    assertThat(begun).hasSize(40);
    Newcomer next = from(OTHER);
    in.get(0).gone();
    assertThat(turns).as("41 are free, 40 have begun").hasSize(1);
    in.get(1).gone();
    assertThat(turns).as("41 are free, 41 have begun").hasSize(1);
    in.get(2).gone();
    assertThat(turns).hasSize(2);
    assertThat(next.takePlace()).isTrue();
  }

  /** As many as there are places, and one more, all at once. */
  @Test
  void aCrowdOfOneAddressGetsIn() {
    List<Newcomer> crowd = new ArrayList<>();
    ArrayDeque<Newcomer> begun = new ArrayDeque<>();
    for (int i = 0; i < MOST; i++) {
      Newcomer next = from(ONE);
      crowd.add(next);
      if (next.beginsAtOnce()) {
        begun.add(next);
      }
    }
    int in = 0;
    while (!begun.isEmpty()) {
      Newcomer next = begun.remove();
      assertThat(next.takePlace()).isTrue();
      next.letIn();
      in++;
      turns.forEach(turn -> begun.add(crowd.get(turn)));
      turns.clear();
    }
    assertThat(in).isEqualTo(MOST);
    assertThat(from(ONE).takePlace()).isFalse();
  }

  /** Whatever happens to some: when all that have begun go on, nobody waits. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 40})
  void noLineStandsStill(int most) {
    for (int seed = 0; seed < 200; seed++) {
      new Crowd(most, seed).run();
    }
  }

  private static final class Crowd {
    private final SplittableRandom random;
    private final ConnectionCount count;
    private final List<Newcomer> waiting = new ArrayList<>();
    private final List<Newcomer> begun = new ArrayList<>();
    private final List<Newcomer> in = new ArrayList<>();

    Crowd(int most, int seed) {
      count = new ConnectionCount(most);
      random = new SplittableRandom(seed);
    }

    private void comes() {
      Newcomer[] self = new Newcomer[1];
      Newcomer newcomer =
          count.newcomer(
              new InetSocketAddress(address(random.nextInt(3)), 1000),
              () -> {
                assertThat(waiting.remove(self[0])).isTrue();
                begun.add(self[0]);
              });
      if (newcomer != null) {
        self[0] = newcomer;
        (newcomer.beginsAtOnce() ? begun : waiting).add(newcomer);
      }
    }

    private void goesOn() {
      Newcomer next = begun.remove(random.nextInt(begun.size()));
      if (random.nextInt(4) > 0 && next.takePlace()) {
        next.letIn();
        in.add(next);
      } else {
        next.gone();
      }
    }

    void run() {
      for (int i = 0; i < 300; i++) {
        int what = random.nextInt(10);
        if (what < 5) {
          comes();
        } else if (what < 7 && !begun.isEmpty()) {
          goesOn();
        } else if (what == 7 && !waiting.isEmpty()) {
          waiting.remove(random.nextInt(waiting.size())).gone();
        } else if (what == 8 && !in.isEmpty()) {
          in.remove(random.nextInt(in.size())).gone();
        }
        assertThat(waiting.isEmpty() || !begun.isEmpty()).isTrue();
      }
      while (!begun.isEmpty()) {
        goesOn();
      }
      assertThat(waiting).isEmpty();
      assertThat(count.inLine()).isZero();
      assertThat(in).hasSizeLessThanOrEqualTo(count.most());
      in.forEach(Newcomer::gone);
      for (int i = 0; i < count.most(); i++) {
        Newcomer next = requireNonNull(count.newcomer(new InetSocketAddress(ONE, 1000), () -> {}));
        assertThat(next.takePlace()).isTrue();
        next.letIn();
      }
    }
  }
}

package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.segment.Tier;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Where extents may fall, whatever state stores are in. */
class TierOrderPropertyTest {
  @Provide
  Arbitrary<List<TierOrder.Candidate>> stores() {
    return Combinators.combine(Arbitraries.of(Tier.class), Arbitraries.of(Fitness.class))
        .as(TierOrder.Candidate::new)
        .list()
        .ofMaxSize(6);
  }

  private static List<TierOrder.Candidate> takers(List<TierOrder.Candidate> stores, Tier from) {
    BitSet takers = TierOrder.takers(stores, from);
    return IntStream.range(0, stores.size()).filter(takers::get).mapToObj(stores::get).toList();
  }

  @Property
  void someStoreTakesWheneverOneWorks(
      @ForAll("stores") List<TierOrder.Candidate> stores, @ForAll Tier from) {
    boolean anyWorks = stores.stream().anyMatch(store -> store.fitness() != Fitness.FAILED);

    assertThat(takers(stores, from).isEmpty()).isEqualTo(!anyWorks);
  }

  @Property
  void noStoreTakesWhileAFitterOneIsThere(
      @ForAll("stores") List<TierOrder.Candidate> stores, @ForAll Tier from) {
    for (TierOrder.Candidate taker : takers(stores, from)) {
      assertThat(taker.fitness()).isNotEqualTo(Fitness.FAILED);
      assertThat(stores).noneMatch(other -> other.fitness().compareTo(taker.fitness()) < 0);
    }
  }

  @Property
  void ordinaryExtentsFallOnlyPastStoresThatAreLessFit(
      @ForAll("stores") List<TierOrder.Candidate> stores) {
    for (TierOrder.Candidate taker : takers(stores, Tier.SSD)) {
      assertThat(stores)
          .filteredOn(other -> other.tier().compareTo(taker.tier()) < 0)
          .allMatch(above -> above.fitness().compareTo(taker.fitness()) > 0);
    }
  }

  @Property
  void hugePartitionsRiseAgainOnlyPastLowerStoresThatAreLessFit(
      @ForAll("stores") List<TierOrder.Candidate> stores) {
    for (TierOrder.Candidate taker : takers(stores, Tier.HDFS)) {
      assertThat(stores)
          .filteredOn(other -> other.tier().compareTo(taker.tier()) > 0)
          .allMatch(below -> below.fitness().compareTo(taker.fitness()) > 0);
    }
  }

  @Property
  void allStoresOfOneKindTakeTogether(
      @ForAll("stores") List<TierOrder.Candidate> stores, @ForAll Tier from) {
    List<TierOrder.Candidate> takers = takers(stores, from);

    for (TierOrder.Candidate store : stores) {
      if (takers.contains(store)) {
        assertThat(takers.stream().filter(store::equals).count())
            .isEqualTo(stores.stream().filter(store::equals).count());
      }
    }
    assertThat(takers.stream().distinct().count()).isLessThanOrEqualTo(1);
  }
}

package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.spark.CleanerListener;
import org.apache.spark.ContextCleaner;
import org.apache.spark.SparkContext;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Removals that Spark asks for, which its cleaner lets come. */
class ShuffleRemovalsTest {
  private final SparkContext context = LocalSpark.start();
  private final List<String> removed = new ArrayList<>();

  @AfterEach
  void stop() {
    context.stop();
  }

  /** The cleaner's thread may be done with one while another thread makes the first request. */
  @Test
  void whatTheCleanerLetsGoOfIsHeardBeforeAnythingIsAsked() {
    HeardCleaner cleaner = new HeardCleaner(context);
    ShuffleRemovals removals = ShuffleRemovals.hearing(Option.apply(cleaner));
    assertThat(cleaner.heard).containsExactly(removals);

    removals.asked(1, true, this::remove);
    removals.asked(2, false, this::remove);
    assertThat(removed).isEmpty();
    cleaner.heard.forEach(listener -> listener.shuffleCleaned(1));
    cleaner.heard.forEach(listener -> listener.shuffleCleaned(1));
    assertThat(removed).containsExactly("1 true");
    assertThat(cleaner.heard).hasSize(1);
  }

  @Test
  void withoutACleanerNothingIsRemoved() {
    ShuffleRemovals removals = ShuffleRemovals.hearing(Option.empty());
    removals.asked(1, true, this::remove);
    removals.shuffleCleaned(1);
    assertThat(removed).isEmpty();
  }

  /** Of shuffles without a stage the cleaner says nothing, and there may be a million of them. */
  @Test
  void whatWasAskedGoesWithTheShuffle() {
    HeardCleaner cleaner = new HeardCleaner(context);
    ShuffleRemovals removals = ShuffleRemovals.hearing(Option.apply(cleaner));
    LiveShuffles placed = new LiveShuffles(new ServerBook(Clock.system()));
    RegisteredShuffles shuffles =
        new RegisteredShuffles(placed, new ShuffleDependencies(), removals);
    placed.add(placement(1));
    assertThat(shuffles.removeOnceCleaned(1, true, this::remove)).isTrue();

    assertThat(shuffles.remove(1)).isNotNull();
    removals.shuffleCleaned(1);
    assertThat(removed).isEmpty();
    assertThat(shuffles.removeOnceCleaned(1, true, this::remove)).isFalse();
  }

  private static FixedPlacement placement(int shuffleId) {
    ShuffleKey key = new ShuffleKey(new ApplicationId(new UUID(0, 1)), shuffleId, 0);
    PlacedServer server = new PlacedServer(ServerId.of(0, 1), 1, "heap", 1);
    return FixedPlacement.of(key, 1, List.of(server), 1, new int[1]);
  }

  private void remove(int shuffleId, boolean blocking) {
    removed.add(shuffleId + " " + blocking);
  }

  private static final class HeardCleaner extends ContextCleaner {
    final List<CleanerListener> heard = new ArrayList<>();

    HeardCleaner(SparkContext context) {
      super(context, context.shuffleDriverComponents());
    }

    @Override
    public void attachListener(CleanerListener listener) {
      heard.add(listener);
    }
  }
}

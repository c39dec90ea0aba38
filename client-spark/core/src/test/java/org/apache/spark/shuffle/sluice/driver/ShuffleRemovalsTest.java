package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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

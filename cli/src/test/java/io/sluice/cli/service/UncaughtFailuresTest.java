package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UncaughtFailuresTest {
  private final List<Integer> halts = new ArrayList<>();
  private final UncaughtFailures failures = new UncaughtFailures(halts::add);

  @Test
  void endsTheProcessOnAnErrorOnly() {
    failures.uncaughtException(Thread.currentThread(), new IllegalStateException("a bug"));
    assertThat(halts).isEmpty();
    failures.uncaughtException(Thread.currentThread(), new AssertionError("worse"));
    assertThat(halts).containsExactly(ExitCode.SOFTWARE);
  }
}

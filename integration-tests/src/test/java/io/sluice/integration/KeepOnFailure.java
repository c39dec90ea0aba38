package io.sluice.integration;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Keeps a class's run directory when one of its tests failed, and says where it is. */
final class KeepOnFailure implements TestWatcher {
  private final Supplier<@Nullable Runs> runs;

  KeepOnFailure(Supplier<@Nullable Runs> runs) {
    this.runs = runs;
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    Runs used = runs.get();
    if (used != null) {
      used.keep();
      System.err.println(context.getDisplayName() + " failed; its files are in " + used.path());
    }
  }
}

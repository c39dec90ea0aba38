package io.sluice.benchmarks.storage;

import java.util.Locale;

/** What the engine writes to. */
enum Device {
  /** The directory's own disk. */
  LOCAL,
  /** A spinning disk that is computed. */
  HDD_MODEL;

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package io.sluice.benchmarks.storage.model;

/** When an access of the modelled disk seeks; spelled as on the command line. */
public enum SeekRule {
  /** When it does not begin where the last one ended. */
  jumps,
  /** Always, as the published curve has it: a disk that is never spared a revolution. */
  always
}

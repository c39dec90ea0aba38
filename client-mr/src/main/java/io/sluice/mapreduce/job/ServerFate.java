package io.sluice.mapreduce.job;

/** What coordinators make of a server that a task cannot reach. */
public enum ServerFate {
  /** What it held is gone: maps have to run again, unless another replica has it. */
  LOST,
  /** Coordinators had not heard it for a while either, and hear it again: it can be tried again. */
  BACK,
  /** They have not given it up: what it holds is there, though not to be had from here. */
  ALIVE
}

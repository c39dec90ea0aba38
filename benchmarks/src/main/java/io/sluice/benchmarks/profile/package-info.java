/**
 * Where the time of a run goes: async-profiler in every process that takes part, on CPU and by the
 * wall clock. Never during runs that are measured. One thread.
 */
@NullMarked
package io.sluice.benchmarks.profile;

import org.jspecify.annotations.NullMarked;

/**
 * Comparing two shuffles fairly: both stand warm side by side and run the same job in turns, so
 * that whatever else the machine does falls on both alike; what is reported is the ratio within
 * each pair and how far pairs differ. One thread.
 */
@NullMarked
package io.sluice.benchmarks.paired;

import org.jspecify.annotations.NullMarked;

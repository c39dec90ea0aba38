/**
 * A measured side in a process of its own. Its owner sends the name of a phase, one a line, or asks
 * for a turn of one; it answers with figures. It ends with its standard input, so it never outlives
 * its owner.
 */
@NullMarked
package io.sluice.benchmarks.storage.child;

import org.jspecify.annotations.NullMarked;

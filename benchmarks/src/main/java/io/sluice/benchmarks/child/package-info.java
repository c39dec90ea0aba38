/**
 * Something measured in a process of its own. Its owner sends commands, one a line, and gets an
 * answer for each; it ends with its standard input, so it never outlives its owner.
 */
@NullMarked
package io.sluice.benchmarks.child;

import org.jspecify.annotations.NullMarked;

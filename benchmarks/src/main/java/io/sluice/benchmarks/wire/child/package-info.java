/**
 * The two processes that are measured. Each answers commands of its owner, one a line, on its main
 * thread; everything about a connection happens on its event loop.
 */
@NullMarked
package io.sluice.benchmarks.wire.child;

import org.jspecify.annotations.NullMarked;

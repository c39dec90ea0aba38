/**
 * The processes that are measured: a server with the budget of a real one, and clients. Each
 * answers commands of its owner on its main thread; everything about a connection happens on its
 * event loop.
 */
@NullMarked
package io.sluice.benchmarks.crowded.child;

import org.jspecify.annotations.NullMarked;

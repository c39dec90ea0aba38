/**
 * Jobs to try a cluster with. They know their engine and nothing of Sluice: what they are shuffled
 * by is said where they are submitted. Each runs on its driver's main thread.
 */
@NullMarked
package io.sluice.examples;

import org.jspecify.annotations.NullMarked;

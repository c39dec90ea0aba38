/**
 * What operators get: the distribution, what is in {@code deploy/}, and the documents that say how
 * to use both. Tools that may be absent are {@link io.sluice.operations.Tool}s; each test that
 * needs one that is says so and is skipped.
 */
@NullMarked
package io.sluice.operations;

import org.jspecify.annotations.NullMarked;

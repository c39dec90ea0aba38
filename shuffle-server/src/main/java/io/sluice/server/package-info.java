/**
 * The shuffle server put together: the core, which is all logic and runs under any scheduler, and
 * the process around it.
 */
@NullMarked
package io.sluice.server;

import org.jspecify.annotations.NullMarked;

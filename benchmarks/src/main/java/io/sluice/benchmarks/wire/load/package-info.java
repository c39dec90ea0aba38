/**
 * What a client does with its connections: pushes prepared frames within its credit, fetches what
 * it pushed, and takes the time.
 *
 * <p>Threading and ownership: a link is its event loop's; frames are made before, shared by all
 * links, and freed by whoever made them.
 */
@NullMarked
package io.sluice.benchmarks.wire.load;

import org.jspecify.annotations.NullMarked;

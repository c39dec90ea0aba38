/**
 * What clients do with their connections. A link belongs to its event loop; frames are made before,
 * shared by all links, and freed by whoever made them.
 */
@NullMarked
package io.sluice.benchmarks.crowded.load;

import org.jspecify.annotations.NullMarked;

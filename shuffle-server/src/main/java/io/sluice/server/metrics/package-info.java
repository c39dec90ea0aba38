/**
 * Counts of what the server does. The core counts into plain adders; exporting them is a matter of
 * its own. Thread-safe.
 */
@NullMarked
package io.sluice.server.metrics;

import org.jspecify.annotations.NullMarked;

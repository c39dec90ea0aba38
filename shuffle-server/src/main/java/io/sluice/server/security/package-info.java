/**
 * What applications prove themselves by, as the coordinator says. Thread-safe; the directory's
 * monitor is a leaf, and futures complete after it is left.
 */
@NullMarked
package io.sluice.server.security;

import org.jspecify.annotations.NullMarked;

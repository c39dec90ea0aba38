/**
 * The same job through two shuffles: what each side took, and whether both gave the same rows. One
 * thread.
 */
@NullMarked
package io.sluice.cli.compare;

import org.jspecify.annotations.NullMarked;

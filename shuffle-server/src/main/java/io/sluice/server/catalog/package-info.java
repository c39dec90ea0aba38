/**
 * The record of one disk's units, kept on that disk: the truth after a restart. Knows bytes and
 * segment numbers, not what a unit is. Thread-safe.
 */
@NullMarked
package io.sluice.server.catalog;

import org.jspecify.annotations.NullMarked;

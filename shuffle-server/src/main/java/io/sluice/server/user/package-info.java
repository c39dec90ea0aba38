/**
 * Whose applications are. Users are what drivers declare and the coordinator passes on: nothing has
 * proved them. Thread-safe; the directory's monitor is a leaf.
 */
@NullMarked
package io.sluice.server.user;

import org.jspecify.annotations.NullMarked;

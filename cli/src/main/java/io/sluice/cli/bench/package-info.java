/**
 * Load on a running cluster: data of one pattern is pushed to the servers that a coordinator has
 * placed a shuffle on, read back and compared. Each class says which of its threads does what.
 */
@NullMarked
package io.sluice.cli.bench;

import org.jspecify.annotations.NullMarked;

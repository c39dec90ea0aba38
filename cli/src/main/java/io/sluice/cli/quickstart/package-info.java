/**
 * The newcomer's first command: real Spark jobs through a real cluster on this machine, and the
 * proof that they give what Spark's own shuffle gives. One thread.
 */
@NullMarked
package io.sluice.cli.quickstart;

import org.jspecify.annotations.NullMarked;

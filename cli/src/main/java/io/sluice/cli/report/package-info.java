/**
 * What people and scripts read at the end: tables, JSON lines, sizes. Stateless or one thread's.
 */
@NullMarked
package io.sluice.cli.report;

import org.jspecify.annotations.NullMarked;

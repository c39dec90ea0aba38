/** Seams for time and scheduling, so that whole clusters run under one seed. */
@NullMarked
package io.sluice.common.time;

import org.jspecify.annotations.NullMarked;

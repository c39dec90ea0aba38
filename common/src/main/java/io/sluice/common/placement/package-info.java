/** Where servers stand, and what applications want of those that hold their data. Immutable. */
@NullMarked
package io.sluice.common.placement;

import org.jspecify.annotations.NullMarked;

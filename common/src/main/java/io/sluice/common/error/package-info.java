/** Coded errors: who is to blame, and what the caller may do. */
@NullMarked
package io.sluice.common.error;

import org.jspecify.annotations.NullMarked;

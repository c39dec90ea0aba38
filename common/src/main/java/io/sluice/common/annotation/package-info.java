/** Annotations that tools read. */
@NullMarked
package io.sluice.common.annotation;

import org.jspecify.annotations.NullMarked;

/** How processes end. */
@NullMarked
package io.sluice.common.lifecycle;

import org.jspecify.annotations.NullMarked;

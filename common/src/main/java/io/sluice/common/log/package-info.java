/** What processes tell their logs of what others do to them. */
@NullMarked
package io.sluice.common.log;

import org.jspecify.annotations.NullMarked;

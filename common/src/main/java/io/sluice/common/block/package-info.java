/** The block header, the unit of push; flyweights over buffers, no threading of their own. */
@NullMarked
package io.sluice.common.block;

import org.jspecify.annotations.NullMarked;

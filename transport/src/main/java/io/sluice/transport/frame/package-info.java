/**
 * The frames of the data plane ({@code docs/protocol.md}): layout, limits, encoders and decoders.
 *
 * <p>Nothing here holds state or buffers. Decoders read at absolute offsets, leaving positions
 * alone, and throw a coded exception on anything out of range; encoders append to a buffer the
 * caller owns. Thread-safe.
 */
@NullMarked
package io.sluice.transport.frame;

import org.jspecify.annotations.NullMarked;

/**
 * A network of byte streams that behave as badly as TCP's do: cut anywhere, late, stalled, reset
 * with any prefix delivered, silent. Both halves of a connection are the real protocol state
 * machines; real frames travel.
 *
 * <p>Not modelled, because TCP and TLS exclude it: bytes lost, repeated or reordered within a
 * stream that goes on. Flipped bits are, in block bytes, as what a faulty host does behind the
 * checksum.
 */
@NullMarked
package io.sluice.simulation.network;

import org.jspecify.annotations.NullMarked;

package io.sluice.coordinator.rest;

/**
 * Who asks, as far as it is known.
 *
 * @param who how they showed it: such as {@code admin-token}, or a certificate's name
 * @param from host:port at the other end of the connection; of a call that was passed on, both that
 *     and where it was first asked
 */
public record Caller(Role role, String who, String from) {}

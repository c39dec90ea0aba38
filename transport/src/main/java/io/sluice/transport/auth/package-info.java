/**
 * Scheme 1: applications and members of the cluster prove that they know a secret, and servers that
 * they were told about it. See docs/security.md for the scheme and docs/protocol.md for its bytes.
 *
 * <p>Credentials and authenticators are immutable and thread-safe, and shared by all connections.
 * An exchange belongs to one connection and its event loop.
 */
@NullMarked
package io.sluice.transport.auth;

import org.jspecify.annotations.NullMarked;

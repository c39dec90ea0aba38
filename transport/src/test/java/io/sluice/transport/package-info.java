/** Test doubles of sessions, and the contract that every carrier of the protocol must meet. */
@NullMarked
package io.sluice.transport;

import org.jspecify.annotations.NullMarked;

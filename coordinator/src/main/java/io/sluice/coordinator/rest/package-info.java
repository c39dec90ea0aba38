/**
 * The REST interface, as {@code openapi.yaml} among the resources publishes it.
 *
 * <p>What needs no leader is answered where it is asked: paths and roles are checked, the process's
 * own settings told. Everything else runs on the control thread of the leader: here, or, for a
 * coordinator that does not lead, passed on to the one that does as one gRPC call ({@code
 * CallRest}), which is never passed on again. Answers are made of immutable views and become JSON
 * on a thread of their own.
 */
@NullMarked
package io.sluice.coordinator.rest;

import org.jspecify.annotations.NullMarked;

/**
 * The server's stream to the coordinator. The session's state machine runs on one scheduler and
 * knows no gRPC; streams are opened through {@code ControlConnector}, and what they bring is handed
 * over to that scheduler.
 */
@NullMarked
package io.sluice.server.control;

import org.jspecify.annotations.NullMarked;

/** How coded errors travel over gRPC; stateless, safe on every thread. */
package io.sluice.proto.error;

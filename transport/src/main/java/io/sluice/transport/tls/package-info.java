/** TLS as Netty and gRPC want it, by the Java runtime's own engine. Stateless. */
@NullMarked
package io.sluice.transport.tls;

import org.jspecify.annotations.NullMarked;

/**
 * TLS by the Java runtime's own engine, as Netty and gRPC want it: certificates and keys from PEM
 * files, for contexts that are made once and go on with whatever the files hold later. Thread-safe;
 * files are read by the caller of {@link io.sluice.common.tls.TlsMaterial#open} and on the
 * scheduler that it is watched with.
 */
@NullMarked
package io.sluice.common.tls;

import org.jspecify.annotations.NullMarked;

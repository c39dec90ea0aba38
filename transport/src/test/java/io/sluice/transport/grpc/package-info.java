@NullMarked
package io.sluice.transport.grpc;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.sluice.transport.netty;

import org.jspecify.annotations.NullMarked;

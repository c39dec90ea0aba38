@NullMarked
package io.sluice.transport.frame;

import org.jspecify.annotations.NullMarked;

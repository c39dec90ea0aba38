/** Threads that stay for as long as a process, or a client in it, does; and how processes end. */
@NullMarked
package io.sluice.common.lifecycle;

import org.jspecify.annotations.NullMarked;

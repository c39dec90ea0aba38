/** What a server can be told, and how its memory is divided. Immutable values; no threads. */
@NullMarked
package io.sluice.server.config;

import org.jspecify.annotations.NullMarked;

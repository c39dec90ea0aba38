/** Metrics and health over HTTP. Two daemon threads of its own; what it asks answers at once. */
@NullMarked
package io.sluice.server.http;

import org.jspecify.annotations.NullMarked;

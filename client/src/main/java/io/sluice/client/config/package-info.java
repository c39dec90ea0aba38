/** What configurations of all engines' clients share. */
@NullMarked
package io.sluice.client.config;

import org.jspecify.annotations.NullMarked;

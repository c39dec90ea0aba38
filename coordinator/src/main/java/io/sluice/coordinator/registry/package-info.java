/**
 * What a coordinator must not forget, as immutable records, and the store that keeps it. Everything
 * else is soft state, rebuilt from hellos and registrations.
 */
@NullMarked
package io.sluice.coordinator.registry;

import org.jspecify.annotations.NullMarked;

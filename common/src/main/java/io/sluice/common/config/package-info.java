/**
 * Typed configuration. A component declares its {@link io.sluice.common.config.ConfigKey}s in one
 * {@link io.sluice.common.config.ConfigSection}; {@link io.sluice.common.config.ConfigReader} reads
 * sections from files and maps, and reports everything that is wrong at once; the component makes
 * its small immutable record from the {@link io.sluice.common.config.Settings} and never sees more.
 *
 * <p>Everything here is immutable and safe on every thread, except the reader, which one thread
 * fills and reads at start-up.
 */
@NullMarked
package io.sluice.common.config;

import org.jspecify.annotations.NullMarked;

/** The {@code mapreduce.sluice.*} entries of a job's configuration. Immutable. */
@NullMarked
package io.sluice.mapreduce.config;

import org.jspecify.annotations.NullMarked;

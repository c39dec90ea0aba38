package io.sluice.server.catalog;

import io.sluice.common.id.ShuffleKey;
import org.jspecify.annotations.Nullable;

/**
 * A segment that is being removed. The number alone would not do: it is another segment's as soon
 * as it is given by somebody who does not know this catalog.
 *
 * @param segment its number
 * @param shuffle whose it is; null where a catalog of version 1 says so, which did not note it and
 *     means whatever has the number
 */
public record Removal(long segment, @Nullable ShuffleKey shuffle) {}

/** Identities: immutable values, safe everywhere. */
@NullMarked
package io.sluice.common.id;

import org.jspecify.annotations.NullMarked;

/** What of an encrypted connection a proof is bound to. Stateless. */
@NullMarked
package io.sluice.transport.tls;

import org.jspecify.annotations.NullMarked;

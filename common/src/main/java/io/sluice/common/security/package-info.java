/**
 * Secrets, the keys derived from them, and the verifiers that prove nothing by themselves. All
 * immutable and thread-safe; nothing here is ever printed. The scheme is described in
 * docs/security.md.
 */
@NullMarked
package io.sluice.common.security;

import org.jspecify.annotations.NullMarked;

/**
 * The books that whoever pushes keeps for one connection: credit and handles. Shared by clients and
 * by servers that forward to other members of a replica set.
 *
 * <p>Threading: each object belongs to one connection and is used on its event loop.
 */
@NullMarked
package io.sluice.transport.push;

import org.jspecify.annotations.NullMarked;

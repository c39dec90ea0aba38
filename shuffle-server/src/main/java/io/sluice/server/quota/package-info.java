/**
 * What one application may hold on this server. Thread-safe; nothing here waits.
 *
 * <p>Bytes count from the acknowledgement of a block until its shuffle is removed, in memory and on
 * disks alike, so that moving them between tiers changes nothing. Whoever stores asks first and
 * takes then: each event loop oversteps by one block at most.
 */
@NullMarked
package io.sluice.server.quota;

import org.jspecify.annotations.NullMarked;

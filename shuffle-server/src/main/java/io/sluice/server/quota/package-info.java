/**
 * What one application, and one user, may hold on this server. Thread-safe; nothing here waits, and
 * only the directory of users is locked under the monitor of the quotas.
 *
 * <p>Bytes count from the acknowledgement of a block until its shuffle is removed, in memory and on
 * disks alike, so that moving them between tiers changes nothing. Whoever stores asks first and
 * takes then: each event loop oversteps by one block at most. Users are what drivers declare and
 * the coordinator passes on.
 */
@NullMarked
package io.sluice.server.quota;

import org.jspecify.annotations.NullMarked;

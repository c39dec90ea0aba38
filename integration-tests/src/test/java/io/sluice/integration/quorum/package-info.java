/**
 * A quorum of real processes on the loopback interface: three ZooKeepers, three coordinators that
 * reach them over links that can be cut, and shuffle servers.
 *
 * <p>Threading: everything belongs to the test's thread, but for a link's own and an asker's.
 * Ownership: processes end with their group; links and askers with who opened them.
 */
@NullMarked
package io.sluice.integration.quorum;

import org.jspecify.annotations.NullMarked;

/**
 * ZooKeeper through Curator: who leads, and what must not be forgotten. With no ensemble configured
 * the same code talks to a ZooKeeper in this process.
 *
 * <p>Curator's calls block; they run on the store's own thread with a bounded queue, never on the
 * control thread or a gRPC thread. Curator's callbacks only hand over to the control thread.
 */
@NullMarked
package io.sluice.coordinator.zookeeper;

import org.jspecify.annotations.NullMarked;

/**
 * One leader's term: membership, applications and placement put together. Everything here is
 * confined to the control thread, the callbacks it is given included; no call blocks.
 */
@NullMarked
package io.sluice.coordinator.cluster;

import org.jspecify.annotations.NullMarked;

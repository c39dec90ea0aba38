/**
 * Who may use the cluster, and how much of it. Decisions of operators, kept in the store and in
 * force from the moment they are kept; confined to the control thread. Records are immutable.
 */
@NullMarked
package io.sluice.coordinator.admission;

import org.jspecify.annotations.NullMarked;

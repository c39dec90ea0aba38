package io.sluice.server.segment;

/**
 * Where and when a unit was written.
 *
 * @param offset of its header in the segment, in bytes
 * @param incarnation of the server that wrote it
 * @param sequence number of the unit on its disk in that incarnation
 */
record UnitPosition(long segment, long offset, long incarnation, long sequence) {}

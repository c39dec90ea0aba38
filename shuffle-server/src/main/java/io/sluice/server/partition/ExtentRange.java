package io.sluice.server.partition;

/** Bytes of an extent that begin within or at a block and end with one. Immutable. */
public record ExtentRange(int offset, int length) {}

package io.sluice.coordinator.membership;

/** One disk of a server; sizes in bytes. */
public record DiskLoad(String path, long capacity, long free, boolean healthy) {}

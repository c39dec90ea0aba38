/**
 * The map side: serialised records are collected in one array of {@code mapreduce.task.io.sort.mb},
 * sorted by partition and key when it is full, combined, packed into blocks, compressed and pushed.
 * Nothing is written to the map's own disk. Each object is used by one thread at a time.
 */
@NullMarked
package io.sluice.mapreduce.write;

import org.jspecify.annotations.NullMarked;

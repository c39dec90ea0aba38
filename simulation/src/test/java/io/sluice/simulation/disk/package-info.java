/**
 * The disks of simulated servers: the real segment store over the disk and catalog that its own
 * tests use, with faults drawn from the seed.
 *
 * <p>To be survived: failed, partial and torn writes, failed reads and cuts, a refused catalog
 * record, bits that rot, pages of zeros, death of the process within a write. Not modelled here:
 * power loss, which the store's own tests cover.
 */
@NullMarked
package io.sluice.simulation.disk;

import org.jspecify.annotations.NullMarked;

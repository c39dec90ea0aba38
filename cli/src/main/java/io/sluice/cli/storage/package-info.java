/** Commands that work on the disks of a server that does not run. One thread's. */
@NullMarked
package io.sluice.cli.storage;

import org.jspecify.annotations.NullMarked;

/**
 * Child processes and what Linux says about them. A {@link io.sluice.cli.process.ChildProcess} is
 * owned by whoever started it and killed, with all its descendants, when closed; a {@link
 * io.sluice.cli.process.ProcessGroup} closes its members on every way out of this process but
 * SIGKILL, and then children notice the end of their standard input.
 */
@NullMarked
package io.sluice.cli.process;

import org.jspecify.annotations.NullMarked;

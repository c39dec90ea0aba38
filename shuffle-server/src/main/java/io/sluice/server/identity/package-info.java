/**
 * Who this server is: an id and an incarnation, kept on its disks. Thread-safe; everything here
 * blocks on disks and is called at start or from threads that may wait.
 */
@NullMarked
package io.sluice.server.identity;

import org.jspecify.annotations.NullMarked;

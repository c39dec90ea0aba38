/**
 * Answers to whoever asks which map attempts are whole on the disks here: a driver whose server
 * came back without its memory.
 */
@NullMarked
package io.sluice.server.inventory;

import org.jspecify.annotations.NullMarked;

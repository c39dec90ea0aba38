/**
 * Commands that run one of Sluice's own processes in the foreground until they are told to stop.
 * Everything but the services themselves runs on the main thread.
 */
@NullMarked
package io.sluice.cli.service;

import org.jspecify.annotations.NullMarked;

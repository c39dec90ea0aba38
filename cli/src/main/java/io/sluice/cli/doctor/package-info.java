/** What is said of settings, and what is found on this machine and around it. One thread. */
@NullMarked
package io.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
